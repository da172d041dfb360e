import type { Call } from './calls.js'
import type { OfKind } from './grouping.js'

/** Timers of Node may be early by one millisecond, and so may the server's whole milliseconds. */
const roundingMs = 2

/** A call whose owner is known, because it acquired or was refused by name. */
export interface Waiter {
  readonly asked: OfKind<'asked'>
  readonly end: OfKind<'acquired' | 'refused'>
}

/**
 * Up to when a waiter had a claim to be next: until it got in or gave up.
 *
 * A place ends at the server when `waitMs` does, and is given up from the abort of its signal on, whenever the process
 * gets to saying so. Other ends are recorded once the waiter has left the queue, so that the next may have been served
 * by then.
 */
export function turnEndMs({ asked, end }: Waiter, slackMs: number): number {
  if (end.kind === 'acquired') return end.atMs
  if (end.reason === 'timeout') {
    return Math.min(end.atMs, asked.atMs + (asked.waitMs ?? Infinity) - roundingMs)
  }
  if (end.reason === 'aborted' && asked.abortAtMs !== undefined) {
    return Math.min(end.atMs, asked.abortAtMs - roundingMs)
  }
  return end.atMs - slackMs
}

export function waitersByPlace(calls: readonly Call[]): Map<string, Waiter> {
  return new Map(
    calls.flatMap(({ asked, acquired, refused }) => {
      const end = acquired ?? refused
      if (end?.owner == null || (end.kind === 'acquired' && end.count > 1)) return []
      return [[placeOf({ lock: asked.lock, owner: end.owner }), { asked, end }]]
    }),
  )
}

/** What a place is known by. */
export function placeOf({ lock, owner }: { readonly lock: string; readonly owner: string }): string {
  return JSON.stringify([lock, owner])
}
