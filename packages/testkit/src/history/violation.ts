import type { HistoryEvent } from './event.js'

/** What a history is checked for. {@link checkHistory} says what each of them means. */
export type Promised = 'exclusion' | 'tokens' | 'order' | 'progress' | 'losses' | 'counts' | 'leftovers'

/** One promise that one lock did not keep. */
export interface Violation {
  readonly promise: Promised
  readonly lock: string
  /** One sentence that names the processes and owners. */
  readonly message: string
  /** The events that show it, oldest first; the very objects of the history. */
  readonly events: readonly HistoryEvent[]
}

/** Drops what is missing or named twice, and puts the rest in the order of its happening. */
export function evidence(...events: readonly (HistoryEvent | null | undefined)[]): HistoryEvent[] {
  const present = events.filter((event) => event != null)
  return [...new Set(present)].sort((a, b) => a.atMs - b.atMs)
}
