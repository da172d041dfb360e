const maxConcurrent = 500

/** Runs `task` for each item, a few hundred at a time. Rejects with the first failure. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  task: (item: T) => Promise<void>,
): Promise<void> {
  // All lanes take their next item from the same iterator.
  const left = items.values()
  const lane = async (): Promise<void> => {
    for (const item of left) await task(item)
  }
  await Promise.all(Array.from({ length: Math.min(items.length, maxConcurrent) }, lane))
}
