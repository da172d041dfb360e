import { groupBy } from '../grouping.js'
import { handOffsOf, type HandOff } from '../hand-offs.js'
import type { History } from '../history.js'
import { evidence, type Violation } from '../violation.js'

/** A busy machine delays one or two; with fewer than these there is no median. */
const minCount = 5

/** How many times the allowed median a single hand-off may take. */
export const singleFactor = 5

/** Without disturbances the next waiter enters when a holder leaves, not only at its next refresh. */
export function checkHandOffs(history: History): Violation[] {
  const { handOffMs } = history.options
  const byLock = groupBy(handOffsOf(history), ({ lock }) => lock)
  return [...byLock.values()].flatMap((handOffs) => {
    const bySpeed = [...handOffs].sort((a, b) => a.tookMs - b.tookMs)
    const median = bySpeed[Math.floor((bySpeed.length - 1) / 2)]
    const slowest = bySpeed.at(-1)
    if (median && bySpeed.length >= minCount && median.tookMs > handOffMs)
      return [tooSlow(median, handOffMs, ` in the median of ${bySpeed.length}`)]
    if (slowest && slowest.tookMs > handOffMs * singleFactor)
      return [tooSlow(slowest, handOffMs * singleFactor)]
    return []
  })
}

function tooSlow({ lock, left, acquired, tookMs }: HandOff, allowedMs: number, where = ''): Violation {
  return {
    promise: 'progress',
    lock,
    message: `the hand-off of ${lock} took ${tookMs.toFixed(1)} ms${where}; at most ${allowedMs.toFixed(1)} ms are allowed`,
    events: evidence(left, acquired),
  }
}
