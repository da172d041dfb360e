import type { Pace } from './pace.js'

/** So many are looked at in one piece. */
const pieceSize = 2_000

/** The oldest of those that are wanted, the oldest first, without sorting them all. */
export async function oldestOf<T>(
  all: readonly T[],
  wanted: { readonly most: number; is(item: T): boolean; since(item: T): number },
  pace: Pace,
): Promise<T[]> {
  const { most } = wanted
  let kept: T[] = []
  const trim = (): void => {
    kept.sort((a, b) => wanted.since(a) - wanted.since(b))
    kept = kept.slice(0, most)
  }
  for (let start = 0; start < all.length; start += pieceSize) {
    if (start > 0) await pace.breathe()
    for (const item of all.slice(start, start + pieceSize)) if (wanted.is(item)) kept.push(item)
    if (kept.length >= 2 * most) trim()
  }
  trim()
  return kept
}
