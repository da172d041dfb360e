/** How a back-off grows: the pause after the first failure, and the longest one, milliseconds. */
export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * How long to pause before the next attempt: `firstMs` after one failure, doubling with each further one, up to
 * `longestMs`. Drawn at random from the upper half of that, so that the clients of a server that comes back do not all
 * arrive together.
 *
 * @param failures - attempts that failed in a row, at least 1
 * @param random - a number from 0 up to 1
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: BackoffBounds,
  random = Math.random(),
): number {
  const limitMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
  return limitMs * (0.5 + random / 2)
}

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const bounds = { firstMs: 20, longestMs: 500 }

/** How long to pause before a failed step is repeated: 20 ms after one failure, doubling to 500 ms, with jitter. */
export const retryAfterMs = (failures: number): number => backoffMs(failures, bounds)
