import type { Call } from './calls.js'
import type { OfKind } from './grouping.js'

/** Timers of Node.js may be early by one millisecond, and so may the server's whole milliseconds. */
const roundingMs = 2

/** A call whose owner is known, because it acquired or was refused by name. */
export interface Waiter {
  readonly requested: OfKind<'requested'>
  readonly end: OfKind<'acquired' | 'refused'>
}

/**
 * Until when a waiter was entitled to be served next: until it entered or gave up.
 *
 * At the server, a queue entry ends with `waitMs`, and is abandoned once its signal aborts, even if the process reports
 * that later. Other ends are recorded after the waiter has left the queue, so the next one may have been served by then.
 */
export function turnEndMs({ requested, end }: Waiter, slackMs: number): number {
  if (end.kind === 'acquired') return end.atMs
  if (end.reason === 'timeout') {
    return Math.min(end.atMs, requested.atMs + (requested.waitMs ?? Infinity) - roundingMs)
  }
  if (end.reason === 'aborted' && requested.abortAtMs !== undefined) {
    return Math.min(end.atMs, requested.abortAtMs - roundingMs)
  }
  return end.atMs - slackMs
}

/** By the first call of each owner: the others are made inside its hold, and enter no queue. */
export function waitersByEntry(calls: readonly Call[]): Map<string, Waiter> {
  const waiters = new Map<string, Waiter>()
  for (const { requested, acquired, refused } of calls) {
    const end = acquired ?? refused
    if (end?.owner == null || (end.kind === 'acquired' && end.count > 1)) continue
    const key = entryKey({ lock: requested.lock, owner: end.owner })
    if (!waiters.has(key)) waiters.set(key, { requested, end })
  }
  return waiters
}

/** The key of a queue entry. */
export function entryKey({ lock, owner }: { readonly lock: string; readonly owner: string }): string {
  return JSON.stringify([lock, owner])
}
