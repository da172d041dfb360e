/** node-redis also takes bytes, in a Buffer. */
export function keyPrefixOf(given: string | Uint8Array | undefined): string {
  return typeof given === 'object' ? Buffer.from(given).toString() : (given ?? '')
}
