import type { LockTable } from './lock-table.js'

/** Something that a test left behind in the store. */
export type Leak =
  | { readonly kind: 'hold'; readonly lock: string; readonly owner: string; readonly count: number }
  | { readonly kind: 'queue entry'; readonly lock: string; readonly owner: string }
  /** The owner was abandoned, and its late requests are refused for as long as this stays. */
  | { readonly kind: 'tombstone'; readonly lock: string; readonly owner: string }
  /** A client that was not closed. */
  | { readonly kind: 'session'; readonly clientId: string; readonly label: string }

/** What is left of the locks and is not past its time. */
export function leaksOf(locks: LockTable, nowUs: number): Leak[] {
  const leaks: Leak[] = []
  for (const [lock, { hold, queue, tombstones }] of locks.entries()) {
    if (hold && hold.untilUs > nowUs) leaks.push({ kind: 'hold', lock, owner: hold.owner, count: hold.count })
    for (const [owner, { aliveUntilUs }] of queue) {
      if (aliveUntilUs > nowUs) leaks.push({ kind: 'queue entry', lock, owner })
    }
    for (const [owner, untilUs] of tombstones) {
      if (untilUs > nowUs) leaks.push({ kind: 'tombstone', lock, owner })
    }
  }
  return leaks
}
