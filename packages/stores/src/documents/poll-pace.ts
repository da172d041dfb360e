/** A pair of bounds between which times are drawn, milliseconds. */
type Bounds = readonly [shortest: number, longest: number]

/** No waiter looks less often than after so many polls of the first in line. */
const mostPolls = { lock: 16, shared: 4, latch: 4 } as const

/** How long an owner that was let in by another may take to notice: much longer than until it looks again. */
export const claimMs = ([, longestMs]: Bounds): number => Math.max(2_000, 3 * longestMs)

/**
 * In how many milliseconds a waiter is to look again. A lock passes from one to the next in half a poll at the least, so those at the
 * back look less often. Permits may become free for many at once, and a latch opens for all, so they do so to a lesser degree.
 *
 * @param position - in the queue, 1 for the next in line; of a latch, how many clients wait
 * @param random - a number from 0 up to 1
 * @returns `undefined`: as the first in line
 */
export function againMs(
  position: number,
  pollMs: Bounds,
  kind: keyof typeof mostPolls,
  random = Math.random(),
): number | undefined {
  const polls = Math.min(position / 2, mostPolls[kind])
  if (polls <= 1) return undefined
  const [shortestMs, longestMs] = pollMs
  return Math.min(polls * (shortestMs + random * (longestMs - shortestMs)), claimMs(pollMs) / 2)
}
