import type { HistoryEvent } from './event.js'
import { parseHistory, type CheckOptions, type History } from './history.js'
import { checkCounts } from './promises/counts.js'
import { checkExclusion } from './promises/exclusion.js'
import { checkHandOffs } from './promises/hand-offs.js'
import { checkLeftovers } from './promises/leftovers.js'
import { checkLosses } from './promises/losses.js'
import { checkOrder } from './promises/order.js'
import { checkProgress } from './promises/progress.js'
import { checkTokens } from './promises/tokens.js'
import type { Violation } from './violation.js'

/**
 * Checks a history against the promises of a lock, and returns the violations, oldest first.
 *
 * - `exclusion`: no two holds of one lock are live at one instant. A hold is live while its process claims it, and
 *   until its last call left, its loss was reported, or it was killed. Holds that only touch do not overlap.
 * - `tokens`: of one lock, every hold's token is larger than those of all earlier holds; a re-entry has its hold's.
 * - `order`: no request made after a waiter was queued is served before that waiter, unless a fault or a stall
 *   disturbed the waiter's process in between.
 * - `progress`: every call of a surviving process settles in time, also after an abort, and not with an unexpected
 *   error; timeouts are not early; outages do not end an unlimited wait; every release is acknowledged or fails;
 *   hand-offs from holder to waiter are quick.
 * - `losses`: a renewed hold is not lost while nothing disturbs its process; a loss is reported by the signal, and the
 *   release of a lost hold fails.
 * - `counts`: a hold count at rest is the same at the client and at the server.
 * - `leftovers`: nothing is left behind.
 *
 * A fault that excuses `exclusion` or `tokens` excuses a conflict of two holds that began after the fault did, if the
 * first of the two was acquired before the fault was healed and recovered from: a hold that the fault made invalid may
 * outlast the fault. It excuses neither an earlier conflict nor one between two later holds. Nothing excuses the other
 * promises.
 *
 * The order of the events does not matter; those of one instant keep their given order. @see {@link describeViolation}
 */
export function checkHistory(events: readonly HistoryEvent[], options: CheckOptions = {}): Violation[] {
  const history = parseHistory(events, options)
  return rules
    .flatMap((rule) => rule(history))
    .sort((a, b) => (a.events[0]?.atMs ?? 0) - (b.events[0]?.atMs ?? 0))
}

const rules: readonly ((history: History) => Violation[])[] = [
  checkExclusion,
  checkTokens,
  checkOrder,
  checkProgress,
  checkHandOffs,
  checkLosses,
  checkCounts,
  checkLeftovers,
]
