import { groupBy, type OfKind } from './grouping.js'
import type { History } from './history.js'
import { entryKey } from './waiters.js'

/** A holder left, and a waiter that was known to be queued by then entered next. */
export interface HandOff {
  readonly lock: string
  readonly left: OfKind<'left'>
  readonly acquired: OfKind<'acquired'>
  readonly tookMs: number
}

/** The undisturbed hand-offs: since the waiter was queued, nothing disturbed any process. */
export function handOffsOf({ events, holds, faults }: History): HandOff[] {
  const queueEntries = groupBy(
    events.filter((event) => event.kind === 'queued'),
    entryKey,
  )
  return [...groupBy(holds, ({ lock }) => lock).values()].flatMap((ofLock) =>
    ofLock.flatMap((hold, n) => {
      const [acquired] = hold.entries
      const left = ofLock[n - 1]?.live.at(-1)?.until
      if (left?.kind !== 'left' || left.atMs > acquired.atMs) return []
      const queueEntry = queueEntries.get(entryKey(hold))?.find(({ atMs }) => atMs < left.atMs)
      if (!queueEntry || !faults.quiet(hold.lock, { fromMs: queueEntry.atMs, untilMs: acquired.atMs }))
        return []
      return [{ lock: hold.lock, left, acquired, tookMs: acquired.atMs - left.atMs }]
    }),
  )
}
