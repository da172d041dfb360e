/** The n-th item, counting round and round. */
export function pick<T>(items: readonly T[], n: number): T {
  const item = items[n % items.length]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}
