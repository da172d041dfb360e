import type { HistoryEvent } from './event.js'
import { drawTimeline } from './timeline.js'
import type { Violation } from './violation.js'

/**
 * A violation as text for a terminal of 110 columns: what was broken, and a timeline that marks the events which show
 * it, with the surrounding events of that lock and those processes. Times count from the start of `history`, which must
 * be the one that was checked.
 */
export function describeViolation(violation: Violation, history: readonly HistoryEvent[]): string {
  const { promise, lock, message, events } = violation
  const concerned = new Set(events.flatMap((event) => ('process' in event ? [event.process] : [])))
  const first = history.reduce<HistoryEvent | undefined>(
    (earliest, event) => (earliest && earliest.atMs <= event.atMs ? earliest : event),
    undefined,
  )
  const context = history.filter((event) => {
    if ('lock' in event) return event.lock === lock
    return 'process' in event ? concerned.has(event.process) : true
  })
  const timeline = drawTimeline(context, { marked: new Set(events), ...(first && { originMs: first.atMs }) })
  return `${promise} broken: ${message}\n\n${timeline}`
}
