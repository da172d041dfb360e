import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { groupBy, type OfKind } from '../grouping.js'
import { evidence, type Violation } from '../violation.js'
import { placeOf, turnEndMs, waitersByPlace, type Waiter } from '../waiters.js'

/** A call that got in, not into a hold that was there before. */
interface Entry {
  readonly asked: OfKind<'asked'>
  readonly entered: OfKind<'acquired'>
}

interface Overtaker extends Entry {
  /** What the waiter's place was known by. */
  readonly place: OfKind<'queued'>
}

/** Who asked after a waiter had its place is not served before it. Of several who were, the first is named. */
export function checkOrder({ events, calls, faults, options }: History): Violation[] {
  const served = groupBy(firstEntries(calls), ({ asked }) => asked.lock)
  const waiters = waitersByPlace(calls)
  const places = groupBy(
    events.filter((event) => event.kind === 'queued'),
    placeOf,
  )
  return [...places.entries()].flatMap(([key, known]) => {
    const waiter = waiters.get(key)
    if (!waiter) return []
    const { lock, process } = waiter.asked
    const endMs = turnEndMs(waiter, options.slackMs)
    const overtakers = between(served.get(lock) ?? [], known[0]?.atMs ?? endMs, endMs).flatMap((other) => {
      const { asked, entered } = other
      // The latest word of a place: whatever had disturbed the waiter before, it was in the queue then.
      const place = known.filter(({ atMs }) => atMs < asked.atMs).at(-1)
      if (!place) return []
      const isDisturbed = faults.disturbed(process, lock, { fromMs: place.atMs, untilMs: entered.atMs })
      return isDisturbed ? [] : [{ asked, entered, place }]
    })
    const [first] = overtakers
    return first ? [overtaking(waiter, first, overtakers.length - 1)] : []
  })
}

/** In the order in which they got in. */
function firstEntries(calls: readonly Call[]): Entry[] {
  return calls
    .flatMap(({ asked, acquired }) => (acquired?.count === 1 ? [{ asked, entered: acquired }] : []))
    .sort((a, b) => a.entered.atMs - b.entered.atMs)
}

/** Those who got in after the first instant and before the second. */
function between(entries: readonly Entry[], fromMs: number, untilMs: number): Entry[] {
  return entries.slice(
    firstIndex(entries, ({ entered }) => entered.atMs > fromMs),
    firstIndex(entries, ({ entered }) => entered.atMs >= untilMs),
  )
}

/** Where the items begin that meet a condition which all after the first such meet too. */
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
  const { place, asked, entered } = first
  const lateMs = (asked.atMs - place.atMs).toFixed(1)
  const more = others > 0 ? `; so were ${others} more` : ''
  return {
    promise: 'order',
    lock: place.lock,
    message: `${asked.process} asked for ${place.lock} ${lateMs} ms after ${place.process} (owner ${place.owner}) was queued, and was served before it${more}`,
    events: evidence(place, asked, entered, end),
  }
}
