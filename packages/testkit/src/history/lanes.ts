import type { HistoryEvent } from './event.js'
import { groupBy } from './grouping.js'
import type { Hold, Stretch } from './holds.js'

/** One line of a timeline: an event, or the end of a claim that no event marks. */
export interface Row {
  readonly atMs: number
  readonly event: HistoryEvent | null
  readonly ended: { readonly hold: Hold; readonly stretch: Stretch } | null
}

/** A live stretch of a hold, from row to row, in one of its process's lanes. */
export interface Bar {
  readonly hold: Hold
  readonly lane: number
  readonly from: number
  /** `Infinity`: it outlasts the timeline. */
  readonly until: number
}

/** The events, and the expiries of claims among them. */
export function rowsOf(events: readonly HistoryEvent[], holds: readonly Hold[]): Row[] {
  const endMs = events.at(-1)?.atMs ?? 0
  const ends = holds.flatMap((hold) =>
    hold.live
      .filter((stretch) => stretch.until === null && stretch.untilMs <= endMs)
      .map((stretch) => ({ atMs: stretch.untilMs, event: null, ended: { hold, stretch } })),
  )
  // Ends come before beginnings of the same time.
  return [...ends, ...events.map((event) => ({ atMs: event.atMs, event, ended: null }))].sort(
    (a, b) => a.atMs - b.atMs,
  )
}

/** Overlapping bars of one process are drawn side by side; a hold keeps its lane. */
export function barsOf(rows: readonly Row[], holds: readonly Hold[]): Map<string, Bar[]> {
  const rowOf = new Map(rows.flatMap((row, i) => (row.event ? [[row.event, i]] : [])))
  const endOf = new Map(rows.flatMap((row, i) => (row.ended ? [[row.ended.stretch, i]] : [])))
  return new Map(
    [...groupBy(holds, ({ process }) => process).entries()].map(([process, ofProcess]) => {
      const freeFrom: number[] = []
      const bars = ofProcess.flatMap((hold) => {
        const spans = hold.live.map((stretch) => ({
          from: rowOf.get(stretch.from) ?? 0,
          until: (stretch.until ? rowOf.get(stretch.until) : endOf.get(stretch)) ?? Infinity,
        }))
        const [first] = spans
        if (!first) return []
        const free = freeFrom.findIndex((row) => row < first.from)
        const lane = free === -1 ? freeFrom.length : free
        freeFrom[lane] = spans.at(-1)?.until ?? Infinity
        return spans.map((span) => ({ hold, lane, ...span }))
      })
      return [process, bars]
    }),
  )
}
