/** The n-th item; after the last one, counting starts over. */
export function pickCyclic<T>(items: readonly T[], n: number): T {
  const item = items[n % items.length]
  if (item === undefined) throw new Error('cannot pick from an empty list')
  return item
}
