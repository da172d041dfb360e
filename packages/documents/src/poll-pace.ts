/** No waiter looks less often than after so many polls of the first in line, or it might not notice its turn in time. */
const longest = { lock: 16, shared: 4 } as const

/**
 * In how many milliseconds a waiter is to look again. A lock passes from one to the next in half a poll at the least, so those at the
 * back look less often. Permits may become free for many at once, so waiters for them wait less long for that.
 *
 * @param position - in the queue, 1 for the next in line
 * @param random - a number from 0 up to 1
 * @returns `undefined`: as the first in line
 */
export function againMs(
  position: number,
  [shortestMs, longestMs]: readonly [shortest: number, longest: number],
  kind: 'lock' | 'shared',
  random = Math.random(),
): number | undefined {
  const polls = Math.min(position / 2, longest[kind])
  return polls <= 1 ? undefined : polls * (shortestMs + random * (longestMs - shortestMs))
}
