import type { HistoryEvent } from './event.js'
import { holdsOf, type Hold } from './holds.js'

/** One line of a drawn history: an event, or the end of a claim that no event marks. */
export interface Row {
  readonly atMs: number
  readonly event: HistoryEvent | null
  /** The hold whose claim ends here. */
  readonly ended: Hold | null
  /** Those that cease to be live, and those that begin to be. */
  readonly over: readonly Hold[]
  readonly began: readonly Hold[]
  /** Those that are live from here on. */
  readonly live: readonly Hold[]
}

/** The events, and the expiries of claims among them. Takes events in order. */
export function rowsOf(events: readonly HistoryEvent[]): Row[] {
  const endMs = events.at(-1)?.atMs ?? 0
  const stretches = holdsOf(events).flatMap((hold) => hold.live.map((stretch) => ({ hold, stretch })))
  const ends = stretches
    .filter(({ stretch }) => stretch.until === null && stretch.untilMs <= endMs)
    .map(({ hold, stretch }) => ({ atMs: stretch.untilMs, event: null, ended: hold }))
  // Ends come before beginnings of the same time.
  const all = [...ends, ...events.map((event) => ({ atMs: event.atMs, event, ended: null }))].sort(
    (a, b) => a.atMs - b.atMs,
  )
  const live = new Set<Hold>()
  return all.map((row) => {
    const { event, ended } = row
    const at = (end: 'from' | 'until') =>
      event ? stretches.filter(({ stretch }) => stretch[end] === event).map(({ hold }) => hold) : []
    const [over, began] = [ended ? [ended] : at('until'), at('from')]
    for (const hold of over) live.delete(hold)
    for (const hold of began) live.add(hold)
    return { ...row, over, began, live: [...live] }
  })
}
