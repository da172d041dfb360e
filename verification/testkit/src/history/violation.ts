import type { HistoryEvent } from './event.js'

/** The promises that a history is checked for. {@link checkHistory} defines them. */
export type Promised =
  'exclusion' | 'tokens' | 'order' | 'progress' | 'losses' | 'together' | 'latches' | 'counts' | 'leftovers'

/** A broken promise of one lock. */
export interface Violation {
  readonly promise: Promised
  readonly lock: string
  /** One sentence that names the processes and owners. */
  readonly message: string
  /** The events that show it, oldest first; the same objects as in the history. */
  readonly events: readonly HistoryEvent[]
}

/** Drops missing and duplicate events, and sorts the rest by time. */
export function evidence(...events: readonly (HistoryEvent | null | undefined)[]): HistoryEvent[] {
  const present = events.filter((event) => event != null)
  return [...new Set(present)].sort((a, b) => a.atMs - b.atMs)
}
