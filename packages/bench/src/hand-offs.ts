/** One time of one waiter through the lock. Instants are on the machine's monotonic clock. */
export interface Visit {
  readonly waiter: string
  readonly askedAtUs: number
  readonly enteredAtUs: number
}

export interface Window {
  readonly fromUs: number
  readonly untilUs: number
}

export interface HandOffs {
  readonly usPerHandOff: number
  /** Of all entries, those of the one who had just left. */
  readonly backToLeaverShare: number
  /** Entries that overtook somebody. */
  readonly outOfOrder: number
  readonly longestWaitMs: number
  readonly jain: number
}

/** An ask takes its time to the server. This much earlier than another, and it was certainly there before it. */
const certainlyEarlierUs = 10_000
/** At the start all ask at once: it takes longer until the last of thousands is there. */
const firstCertainlyEarlierUs = 500_000

/**
 * What a window shows of how one lock went round among its waiters. The visits may begin before it, and go on until all
 * waiters have been served.
 *
 * A hand-off is an entry of somebody else than the one who left: where there is no queue, who left asks again at once and
 * often gets in again, and nobody was helped by that.
 */
export function handOffsIn(visits: readonly Visit[], waiters: number, window: Window): HandOffs {
  const inOrder = [...visits].sort((a, b) => a.enteredAtUs - b.enteredAtUs)
  const isInside = ({ enteredAtUs }: Visit) => enteredAtUs >= window.fromUs && enteredAtUs < window.untilUs
  const inside = inOrder.filter(isInside)
  const handOffs = inOrder.filter((visit, n) => isInside(visit) && visit.waiter !== inOrder[n - 1]?.waiter)
  const windowUs = window.untilUs - window.fromUs
  return {
    // Less than one in the window is at least known to take longer than that.
    usPerHandOff: windowUs / Math.max(1, handOffs.length),
    backToLeaverShare: 1 - handOffs.length / Math.max(1, inside.length),
    outOfOrder: overtakersIn(inOrder).filter(isInside).length,
    longestWaitMs: longestWaitUs(visits, window) / 1_000,
    jain: jainIndex(inside, waiters),
  }
}

/** The visits that began while somebody was waiting who had certainly asked before. */
export function overtakersIn(inOrder: readonly Visit[]): Visit[] {
  const overtakers: Visit[] = []
  const firsts = new Set(new Map([...inOrder].reverse().map((visit) => [visit.waiter, visit])).values())
  /** Whoever asked after this should have come in later. */
  let earliestUs = Infinity
  for (const visit of [...inOrder].reverse()) {
    if (earliestUs < visit.askedAtUs) overtakers.push(visit)
    const marginUs = firsts.has(visit) ? firstCertainlyEarlierUs : certainlyEarlierUs
    earliestUs = Math.min(earliestUs, visit.askedAtUs + marginUs)
  }
  return overtakers
}

/** Also of those who had to wait on when the window was over. */
function longestWaitUs(visits: readonly Visit[], { fromUs, untilUs }: Window): number {
  return visits.reduce((longest, { askedAtUs, enteredAtUs }) => {
    if (askedAtUs >= untilUs || enteredAtUs < fromUs) return longest
    return Math.max(longest, Math.min(enteredAtUs, untilUs) - askedAtUs)
  }, 0)
}

/** 1: all entered as often as each other. 1 / waiters: one had it all. */
function jainIndex(visits: readonly Visit[], waiters: number): number {
  const entries = new Map<string, number>()
  for (const { waiter } of visits) entries.set(waiter, (entries.get(waiter) ?? 0) + 1)
  const squares = [...entries.values()].reduce((sum, count) => sum + count ** 2, 0)
  return squares === 0 ? 0 : visits.length ** 2 / (waiters * squares)
}
