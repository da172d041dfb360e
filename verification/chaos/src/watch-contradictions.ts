import { nowMs, type HistoryEvent } from '@holdfast/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultContext } from './faults/fault-context.js'
import { findContradictions } from './inspect-locks.js'

/** Each look at PostgreSQL opens a connection, for which the server begins a process. */
const everyMs = { redis: 100, postgres: 300, session: 300, document: 300 }

/** Looks for contradictions in what the server has, as often as it can be reached. Returns what ends the watch, with its finds. */
export function watchContradictions(context: FaultContext): () => Promise<HistoryEvent[]> {
  const found = new Map<string, HistoryEvent>()
  const stop = new AbortController()
  const isEnded = () => stop.signal.aborted
  const watch = async () => {
    while (!isEnded()) {
      // Faults keep the server from replying.
      for (const event of await findContradictions(context).catch(() => [])) {
        found.set(event.kind === 'leftover' ? event.what : event.kind, { ...event, atMs: nowMs() })
      }
      await sleep(everyMs[context.testbed.topology.store])
    }
  }
  const watching = watch()
  return async () => {
    stop.abort()
    await watching
    return [...found.values()]
  }
}
