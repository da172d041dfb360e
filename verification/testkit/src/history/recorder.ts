import { appendFileSync, closeSync, openSync } from 'node:fs'
import { nowMs, type HistoryEvent } from './event.js'

/** An event as its process reports it: the time, and for its own events the process, are filled in. */
export type Reported = HistoryEvent extends infer Event
  ? Event extends { readonly process: string }
    ? Omit<Event, 'atMs' | 'process'> & { readonly atMs?: number; readonly process?: string }
    : Event extends HistoryEvent
      ? Omit<Event, 'atMs'> & { readonly atMs?: number }
      : never
  : never

/** Writes the events of one process to a file. */
export interface HistoryWriter {
  /** Appends one event, timed now unless `atMs` is given. Once it returns, killing this process does not lose the event. */
  readonly write: (event: Reported) => void
  readonly close: () => void
}

/** Opens a history for one process to write to: one JSON document per line. Creates the file if necessary. */
export function openHistory(file: string, process: string): HistoryWriter {
  const descriptor = openSync(file, 'a')
  return {
    write: (event) => appendFileSync(descriptor, `${JSON.stringify({ atMs: nowMs(), process, ...event })}\n`),
    close: () => closeSync(descriptor),
  }
}
