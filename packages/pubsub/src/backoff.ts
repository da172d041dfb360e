const SHORTEST_MS = 50
const LONGEST_MS = 2_000

/**
 * How long to wait before the next attempt to connect: at least 50 ms, at most 100 ms after the first failure,
 * twice as much after each further one, up to 2 s. Drawn at random within, so that the clients of a server that
 * comes back do not all arrive together.
 *
 * @param failures - attempts that failed in a row, at least 1
 * @param random - a number from 0 up to 1
 */
export function backoffMs(failures: number, random = Math.random()): number {
  const limitMs = Math.min(SHORTEST_MS * 2 ** failures, LONGEST_MS)
  return SHORTEST_MS + random * (limitMs - SHORTEST_MS)
}
