/** Runs `task` for each item, in so many concurrent lanes. Rejects with the first failure. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  task: (item: T, lane: number) => Promise<unknown>,
  lanes = 500,
): Promise<void> {
  // All lanes take their next item from the same iterator.
  const left = items.values()
  const run = async (_: unknown, lane: number): Promise<void> => {
    for (const item of left) await task(item, lane)
  }
  await Promise.all(Array.from({ length: Math.min(items.length, lanes) }, run))
}
