/** How long acquisitions waited, as counts per bucket; the last bucket is for all longer waits. */
export type Buckets = readonly number[]

export const addBuckets = (one: Buckets, other: Buckets): Buckets =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, i) => (one[i] ?? 0) + (other[i] ?? 0))

/** What came in since; a count that fell was started over. */
export const growthOf = (now: Buckets, before: Buckets): Buckets =>
  now.map((count, i) => Math.max(0, count - (before[i] ?? 0)))

/**
 * The wait that this share of all acquisitions did not exceed, milliseconds; `null` without any. Inside a bucket the waits are
 * assumed to be spread evenly, and those above the last bound to be at it.
 *
 * @param bounds - the upper bounds of all buckets but the last, ascending
 */
export function percentile(buckets: Buckets, bounds: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * share
  let passed = 0
  for (const [i, count] of buckets.entries()) {
    if (count > 0 && passed + count >= wanted) {
      const lower = i === 0 ? 0 : (bounds[i - 1] ?? 0)
      const upper = bounds[i] ?? lower
      return lower + ((upper - lower) * (wanted - passed)) / count
    }
    passed += count
  }
  return bounds.at(-1) ?? null
}
