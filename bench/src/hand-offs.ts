/** One pass of one waiter through the lock. Instants are on the machine's monotonic clock. */
export interface Visit {
  readonly waiter: string
  readonly requestedAtUs: number
  readonly enteredAtUs: number
}

export interface Window {
  readonly fromUs: number
  readonly untilUs: number
}

export interface HandOffs {
  readonly usPerHandOff: number
  /** The share of entries by the waiter that had just left. */
  readonly backToLeaverShare: number
  /** Entries that overtook another waiter. */
  readonly outOfOrder: number
  readonly longestWaitMs: number
  readonly jain: number
}

/** Requests take time to reach the server. One sent this much earlier than another certainly arrived before it. */
const certainlyEarlierUs = 10_000
/** At the start all waiters send their requests at once: the last of thousands arrives later. */
const firstCertainlyEarlierUs = 500_000

/**
 * How one lock passed among its waiters within a window. The visits may begin before it, and continue until all waiters
 * have been served.
 *
 * A hand-off is an entry by another waiter than the one that left: without a queue, the one that left requests the lock
 * again at once and often re-acquires it, which helps no other waiter.
 */
export function handOffsIn(visits: readonly Visit[], waiters: number, window: Window): HandOffs {
  const inOrder = [...visits].sort((a, b) => a.enteredAtUs - b.enteredAtUs)
  const isInside = ({ enteredAtUs }: Visit) => enteredAtUs >= window.fromUs && enteredAtUs < window.untilUs
  const inside = inOrder.filter(isInside)
  const handOffs = inOrder.filter((visit, n) => isInside(visit) && visit.waiter !== inOrder[n - 1]?.waiter)
  const windowUs = window.untilUs - window.fromUs
  return {
    // With no hand-off in the window, one takes at least as long as the window.
    usPerHandOff: windowUs / Math.max(1, handOffs.length),
    backToLeaverShare: 1 - handOffs.length / Math.max(1, inside.length),
    outOfOrder: overtakersIn(inOrder).filter(isInside).length,
    longestWaitMs: longestWaitUs(visits, window) / 1_000,
    jain: jainIndex(inside, waiters),
  }
}

/** The visits that began while another waiter was waiting that had certainly requested the lock before. */
export function overtakersIn(inOrder: readonly Visit[]): Visit[] {
  const overtakers: Visit[] = []
  const firsts = new Set(new Map([...inOrder].reverse().map((visit) => [visit.waiter, visit])).values())
  /** A waiter that requested the lock after this should have entered later. */
  let earliestUs = Infinity
  for (const visit of [...inOrder].reverse()) {
    if (earliestUs < visit.requestedAtUs) overtakers.push(visit)
    const marginUs = firsts.has(visit) ? firstCertainlyEarlierUs : certainlyEarlierUs
    earliestUs = Math.min(earliestUs, visit.requestedAtUs + marginUs)
  }
  return overtakers
}

/** Includes waits that continued after the window. */
function longestWaitUs(visits: readonly Visit[], { fromUs, untilUs }: Window): number {
  return visits.reduce((longest, { requestedAtUs, enteredAtUs }) => {
    if (requestedAtUs >= untilUs || enteredAtUs < fromUs) return longest
    return Math.max(longest, Math.min(enteredAtUs, untilUs) - requestedAtUs)
  }, 0)
}

/** 1: all waiters entered equally often. 1 / waiters: a single one made all entries. */
function jainIndex(visits: readonly Visit[], waiters: number): number {
  const entries = new Map<string, number>()
  for (const { waiter } of visits) entries.set(waiter, (entries.get(waiter) ?? 0) + 1)
  const squares = [...entries.values()].reduce((sum, count) => sum + count ** 2, 0)
  return squares === 0 ? 0 : visits.length ** 2 / (waiters * squares)
}
