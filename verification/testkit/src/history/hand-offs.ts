import type { HistoryEvent } from './event.js'
import { groupBy, type OfKind } from './grouping.js'
import type { History } from './history.js'
import { permitsAt, permitsOf, type Hold } from './holds.js'
import { entryKey } from './waiters.js'

/** A holder left, and a waiter that was known to be queued by then entered next. */
export interface HandOff {
  readonly lock: string
  readonly left: OfKind<'left' | 'lowered'>
  readonly acquired: OfKind<'acquired'>
  readonly tookMs: number
}

/** The undisturbed hand-offs: since the waiter was queued, nothing disturbed any process. */
export function handOffsOf(history: History): HandOff[] {
  const { events, holds, calls, faults, sizes } = history
  // A call for several locks enters all of them when it has the last one.
  const parts = calls.filter(({ requested }) => requested.together !== undefined)
  const together = new Set(parts.map(({ requested }) => requested.call))
  // When it left, the lock stayed held.
  const keeps = new Set(
    calls.flatMap(({ requested: { call, atLeastMs, handsOverMs } }) =>
      atLeastMs === undefined && handsOverMs === undefined ? [] : [call],
    ),
  )
  const mayHaveHad = (lock: string, fromMs: number, untilMs: number): boolean =>
    parts.some(
      ({ requested, refused }) =>
        requested.lock === lock && refused !== undefined && refused.atMs > fromMs && refused.atMs < untilMs,
    )
  const queueEntries = groupBy(
    events.filter((event) => event.kind === 'queued'),
    entryKey,
  )
  return [...groupBy(holds, ({ lock }) => lock).values()].flatMap((ofLock) =>
    ofLock.flatMap((hold, n) => {
      const [acquired] = hold.entries
      if (together.has(acquired.call)) return []
      const left = sizes.isLock(hold.lock) ? ofLock[n - 1]?.live.at(-1)?.until : roomMadeFor(hold, history)
      if ((left?.kind !== 'left' && left?.kind !== 'lowered') || left.atMs > acquired.atMs) return []
      if (keeps.has(left.call)) return []
      // It may have had this one while it waited for another.
      if (mayHaveHad(hold.lock, left.atMs, acquired.atMs)) return []
      const queueEntry = queueEntries.get(entryKey(hold))?.find(({ atMs }) => atMs < left.atMs)
      if (!queueEntry || !faults.quiet(hold.lock, { fromMs: queueEntry.atMs, untilMs: acquired.atMs }))
        return []
      return [{ lock: hold.lock, left, acquired, tookMs: acquired.atMs - left.atMs }]
    }),
  )
}

/**
 * The event that let in a hold of an object that several may hold at once: the last one before that may have let anybody in, if that was a
 * holder's leaving or giving back, without which the hold would not have fitted.
 */
function roomMadeFor(hold: Hold, { events, holds, sizes }: History): HistoryEvent | undefined {
  const [{ atMs, call }] = hold.entries
  const last = events
    .filter(
      (event) =>
        event.atMs < atMs &&
        'lock' in event &&
        event.lock === hold.lock &&
        makesRoom.has(event.kind) &&
        !('call' in event && event.call === call),
    )
    .at(-1)
  if (!last || (last.kind !== 'left' && last.kind !== 'lowered')) return undefined
  const others = holds.filter((other) => other.lock === hold.lock && other !== hold)
  const hasExpired = others.some(({ live }) =>
    live.some(({ until, untilMs }) => until === null && untilMs > last.atMs && untilMs < atMs),
  )
  const wantedAt = (instantMs: number): number =>
    others
      .filter(({ live }) => live.some(({ fromMs, untilMs }) => fromMs <= instantMs && untilMs > instantMs))
      .reduce((sum, other) => sum + permitsAt(other, instantMs), permitsOf(hold))
  const size = sizes.least(hold.lock, { fromMs: last.atMs, untilMs: atMs })
  // What it did not make room by is that a smaller size lapsed.
  const isRoom = wantedAt(last.atMs + 1e-6) <= size
  return hasExpired || !isRoom || wantedAt(last.atMs - 1e-6) <= size ? undefined : last
}

/** What may let a waiter in, or change who is first in the queue. */
const makesRoom = new Set<HistoryEvent['kind']>([
  'left',
  'lowered',
  'lost',
  'loss-found',
  'refused',
  'resizing',
  'resized',
])
