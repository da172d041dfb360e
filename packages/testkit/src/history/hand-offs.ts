import { groupBy, type OfKind } from './grouping.js'
import type { History } from './history.js'
import { placeOf } from './waiters.js'

/** A holder left, and a waiter whose place was known by then got in next. */
export interface HandOff {
  readonly lock: string
  readonly left: OfKind<'left'>
  readonly acquired: OfKind<'acquired'>
  readonly tookMs: number
}

/** Those that tell of the lock alone: from when the waiter had its place, nothing was wrong with anybody. */
export function handOffsOf({ events, holds, faults }: History): HandOff[] {
  const places = groupBy(
    events.filter((event) => event.kind === 'queued'),
    placeOf,
  )
  return [...groupBy(holds, ({ lock }) => lock).values()].flatMap((ofLock) =>
    ofLock.flatMap((hold, n) => {
      const [acquired] = hold.entries
      const left = ofLock[n - 1]?.live.at(-1)?.until
      if (left?.kind !== 'left' || left.atMs > acquired.atMs) return []
      const place = places.get(placeOf(hold))?.find(({ atMs }) => atMs < left.atMs)
      if (!place || !faults.quiet(hold.lock, { fromMs: place.atMs, untilMs: acquired.atMs })) return []
      return [{ lock: hold.lock, left, acquired, tookMs: acquired.atMs - left.atMs }]
    }),
  )
}
