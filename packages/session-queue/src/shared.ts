import type { Entry, Listing } from './store.js'

/** A queue, by who holds and who waits. */
export interface Standing {
  /** In the order of their arrival. */
  readonly holders: readonly Entry[]
  /** In the order of their arrival. */
  readonly waiters: readonly Entry[]
}

/**
 * Who holds. An entry does when the permits of all ahead of it and its own fit into the size; those that wait ahead count, so that nobody
 * is overtaken. It is decided by the order alone, which no one changes: what holds goes on holding, whoever leaves. Of those that held
 * when the object was made smaller, all still do.
 */
export function standingOf({ entries, size }: Listing): Standing {
  const kept = new Set(size?.holders)
  const holders: Entry[] = []
  const waiters: Entry[] = []
  let used = 0
  for (const entry of entries) {
    used += entry.permits
    const isIn = used <= (size?.size ?? entry.size) || kept.has(entry.key)
    ;(isIn ? holders : waiters).push(entry)
  }
  return { holders, waiters }
}

export const permitsOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { permits }) => sum + permits, 0)

/** Whether one more would get in at the end of the queue. */
export const hasRoom = ({ entries, size }: Listing, permits: number, ownSize: number): boolean =>
  permitsOf(entries) + permits <= (size?.size ?? ownSize)

/** Whether it can never get in while this size is in force, and so would hold up all behind it. Nobody gets in at 0. */
export const isTooLarge = ({ size }: Listing, permits: number): boolean =>
  size !== undefined && size.size > 0 && permits > size.size
