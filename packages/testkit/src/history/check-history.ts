import type { HistoryEvent } from './event.js'
import { takeApart, type CheckOptions, type History } from './history.js'
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
 * Checks what happened against what a lock promises, and returns what was broken, oldest first.
 *
 * - `exclusion`: no two holds of one lock are live at one instant. A hold is live while its process claims it, and
 *   until its last call left, it was told of a loss, or was killed. Holds that only touch do not overlap.
 * - `tokens`: of one lock, every hold's token is larger than those of all holds before; a re-entry has its hold's.
 * - `order`: nobody who asked after a waiter had its place is served before that waiter, unless a fault or a stall
 *   disturbed the waiter's process in between.
 * - `progress`: every call of a process that lives on is settled in time, after its abort too, and not by an unforeseen
 *   error; a time-out does not come early either; outages do not end a wait without an end; every call that left is told
 *   what became of it; hand-offs from holder to waiter are quick.
 * - `losses`: a hold that is to be renewed is not lost while nothing disturbs its process; whoever loses its hold is
 *   told by the signal, and its release fails.
 * - `counts`: a hold count at rest is the same at the client and at the server.
 * - `leftovers`: nothing is left behind.
 *
 * A fault that excuses `exclusion` or `tokens` excuses a conflict of two holds that began after the fault did, if the
 * first of the two was acquired before the fault was healed and recovered from: a hold that the fault made wrong may
 * last longer than the fault. It excuses neither a conflict from before nor one between two later holds. Nothing
 * excuses the others.
 *
 * The order of the events does not matter: those of one instant count as given. @see {@link describeViolation}
 */
export function checkHistory(events: readonly HistoryEvent[], options: CheckOptions = {}): Violation[] {
  const history = takeApart(events, options)
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
