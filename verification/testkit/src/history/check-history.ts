import type { HistoryEvent } from './event.js'
import { parseHistory, type CheckOptions, type History } from './history.js'
import { checkCounts } from './promises/counts.js'
import { checkExclusion } from './promises/exclusion.js'
import { checkHandOffs } from './promises/hand-offs.js'
import { checkKept } from './promises/kept.js'
import { checkLeftovers } from './promises/leftovers.js'
import { checkLatches } from './promises/latches.js'
import { checkLosses } from './promises/losses.js'
import { checkOrder } from './promises/order.js'
import { checkProgress } from './promises/progress.js'
import { checkTogether } from './promises/together.js'
import { checkTokens } from './promises/tokens.js'
import type { Violation } from './violation.js'

/**
 * Checks a history against the promises of its locks and other objects, and returns the violations, oldest first.
 *
 * An object has so many permits in all, and each hold some of them. A lock has one; a read/write lock has so many that a writer
 * takes all and each reader one.
 *
 * - `exclusion`: no two holds of one lock are live at one instant; live holds never have more permits than there are, when
 *   one of them begins or gets more. A hold is live while its process claims it, and
 *   until its last call left, its loss was reported, or it was killed. Holds that only touch do not overlap. What a release keeps, or
 *   a hand-over, is granted to no other before its time; what was handed over is taken over once.
 * - `tokens`: of one lock, every hold's token is larger than those of all earlier holds; a re-entry has its hold's. Holds
 *   that fit beside each other may have entered in one step, with one token.
 * - `order`: no request made after a waiter was queued is served before that waiter, unless a fault or a stall
 *   disturbed the waiter's process in between, or it wants more permits than there are.
 * - `progress`: every call of a surviving process settles in time, also after an abort, and not with an unexpected
 *   error; timeouts are not early; outages do not end an unlimited wait; every release is acknowledged or fails;
 *   hand-offs from holder to waiter are quick.
 * - `losses`: a renewed hold is not lost while nothing disturbs its process; a loss is reported by the signal, at the deadline
 *   at the latest, and the release of a lost hold fails.
 * - `together`: a call for several locks acquires all or none, and the loss of one of them is the loss of all.
 * - `latches`: a wait passes only if all parties of one count have counted down, and does pass then; a latch is gone only if
 *   it was deleted, or may have been lost.
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
  checkKept,
  checkTokens,
  checkOrder,
  checkProgress,
  checkHandOffs,
  checkLosses,
  checkTogether,
  checkLatches,
  checkCounts,
  checkLeftovers,
]
