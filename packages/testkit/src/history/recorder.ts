import { appendFileSync, closeSync, openSync } from 'node:fs'
import { nowMs, type HistoryEvent } from './event.js'

/** An event as its process reports it: the time, and the process where it is its own, are filled in. */
export type Reported = HistoryEvent extends infer Event
  ? Event extends { readonly process: string }
    ? Omit<Event, 'atMs' | 'process'> & { readonly atMs?: number; readonly process?: string }
    : Event extends HistoryEvent
      ? Omit<Event, 'atMs'> & { readonly atMs?: number }
      : never
  : never

/** Writes the events of one process to a file. */
export interface HistoryWriter {
  /** Appends one event, now unless `atMs` says otherwise. When it returns, a kill of this process loses nothing. */
  readonly write: (event: Reported) => void
  readonly close: () => void
}

/** Opens a history for one process to write to: one JSON document per line. The file is made if it is not there. */
export function openHistory(file: string, process: string): HistoryWriter {
  const descriptor = openSync(file, 'a')
  return {
    write: (event) => {
      appendFileSync(descriptor, `${JSON.stringify({ atMs: nowMs(), process, ...event })}\n`)
    },
    close: () => {
      closeSync(descriptor)
    },
  }
}
