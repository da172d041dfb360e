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

export function waitersByEntry(calls: readonly Call[]): Map<string, Waiter> {
  return new Map(
    calls.flatMap(({ requested, acquired, refused }) => {
      const end = acquired ?? refused
      if (end?.owner == null || (end.kind === 'acquired' && end.count > 1)) return []
      return [[entryKey({ lock: requested.lock, owner: end.owner }), { requested, end }]]
    }),
  )
}

/** The key of a queue entry. */
export function entryKey({ lock, owner }: { readonly lock: string; readonly owner: string }): string {
  return JSON.stringify([lock, owner])
}
