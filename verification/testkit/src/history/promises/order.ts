import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { groupBy, type OfKind } from '../grouping.js'
import { evidence, type Violation } from '../violation.js'
import { entryKey, turnEndMs, waitersByEntry, type Waiter } from '../waiters.js'
import { singleFactor } from './hand-offs.js'

/** A call that acquired, not by re-entry. */
interface Entry {
  readonly requested: OfKind<'requested'>
  readonly entered: OfKind<'acquired'>
}

interface Overtaker extends Entry {
  /** The waiter's latest queue entry before the overtaking request. */
  readonly queueEntry: OfKind<'queued'>
}

/**
 * No request made after a waiter was queued is served before it. Of several that were, the first is named.
 *
 * Who takes over a lock that was handed over is served before all that wait for it.
 *
 * A waiter that wants more than its object has stops nobody. Two that can hold at once may return in any order: their
 * tokens tell which was served first, if they are drawn in turn, and one that gave up may have been served just before.
 */
export function checkOrder({ events, calls, faults, sizes, options }: History): Violation[] {
  const queues = calls.filter(({ requested }) => requested.ticketOf === undefined)
  const served = groupBy(firstEntries(queues), ({ requested }) => requested.lock)
  const waiters = waitersByEntry(calls)
  const queueEntries = groupBy(
    events.filter((event) => event.kind === 'queued'),
    entryKey,
  )
  return [...queueEntries.entries()].flatMap(([key, known]) => {
    const waiter = waiters.get(key)
    if (!waiter) return []
    const { lock, process } = waiter.requested
    const endMs = turnEndMs(waiter, options.slackMs)
    const overtakers = between(served.get(lock) ?? [], known[0]?.atMs ?? endMs, endMs).flatMap((other) => {
      const { requested, entered } = other
      // The latest entry: whatever disturbed the waiter before, it was queued at that time.
      const queueEntry = known.filter(({ atMs }) => atMs < requested.atMs).at(-1)
      if (!queueEntry) return []
      const wanted = waiter.requested.permits ?? 1
      const span = { fromMs: queueEntry.atMs, untilMs: entered.atMs }
      if (wanted > sizes.least(lock, span)) return []
      const excludeEachOther = wanted + (requested.permits ?? 1) > sizes.most(lock, span)
      const canTell = options.drawsTokensInTurn || !sizes.wasResized(lock, entered.atMs)
      if (!excludeEachOther && !isBefore(entered, waiter.end, canTell, options.handOffMs)) return []
      const isDisturbed = faults.disturbed(process, lock, span)
      return isDisturbed ? [] : [{ requested, entered, queueEntry }]
    })
    const [first] = overtakers
    return first ? [overtaking(waiter, first, overtakers.length - 1)] : []
  })
}

/** Whether one was served before the other, which it does not exclude, was served or gave up. @param canTell - tokens say it */
function isBefore(
  entered: OfKind<'acquired'>,
  end: Waiter['end'],
  canTell: boolean,
  handOffMs: number,
): boolean {
  if (end.kind === 'refused') return entered.atMs < end.atMs - handOffMs
  // The message of its turn may have been as late as a single one may be.
  if (!canTell) return entered.atMs < end.atMs - handOffMs * singleFactor
  return entered.token !== null && end.token !== null && entered.token < end.token
}

/** In the order of entry. */
function firstEntries(calls: readonly Call[]): Entry[] {
  return calls
    .flatMap(({ requested, acquired }) => (acquired?.count === 1 ? [{ requested, entered: acquired }] : []))
    .sort((a, b) => a.entered.atMs - b.entered.atMs)
}

/** The entries after the first instant and before the second. */
function between(entries: readonly Entry[], fromMs: number, untilMs: number): Entry[] {
  return entries.slice(
    firstIndex(entries, ({ entered }) => entered.atMs > fromMs),
    firstIndex(entries, ({ entered }) => entered.atMs >= untilMs),
  )
}

/** The first index that meets a condition which all later items meet too. */
function firstIndex<T>(items: readonly T[], isMet: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && !isMet(item)) low = middle + 1
    else high = middle
  }
  return low
}

function overtaking({ end }: Waiter, first: Overtaker, others: number): Violation {
  const { queueEntry, requested, entered } = first
  const lateMs = (requested.atMs - queueEntry.atMs).toFixed(1)
  const more = others > 0 ? `; so were ${others} more` : ''
  return {
    promise: 'order',
    lock: queueEntry.lock,
    message: `${requested.process} requested ${queueEntry.lock} ${lateMs} ms after ${queueEntry.process} (owner ${queueEntry.owner}) was queued, and was served before it${more}`,
    events: evidence(queueEntry, requested, entered, end),
  }
}
