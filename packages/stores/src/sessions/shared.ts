import type { Entry, Listing } from './store.js'

/** A queue, by who holds and who waits. */
export interface Standing {
  /** In the order of their arrival. */
  readonly holders: readonly Entry[]
  /** In the order of their arrival. */
  readonly waiters: readonly Entry[]
  /** Those of the waiters that want more than there is in all since a resize: they keep their places, and hold nobody up. */
  readonly passedOver: ReadonlySet<Entry>
}

/**
 * Who holds. An entry does if it held when the size was set, or if all ahead of it that the size has room for hold, and it fits beside them.
 *
 * As long as the size is the same, whoever holds goes on holding, whoever leaves and comes. So it need not be written anywhere but when
 * the size changes.
 */
export function standingOf(listing: Listing): Standing {
  const known = standings.get(listing) ?? judge(listing)
  standings.set(listing, known)
  return known
}

/** One listing is asked several times. */
const standings = new WeakMap<Listing, Standing>()

function judge({ entries, size }: Listing): Standing {
  const inForce = size?.before ?? size
  const kept = new Set(inForce?.holders)
  const holders: Entry[] = []
  const waiters: Entry[] = []
  const passedOver = new Set<Entry>()
  let used = kept.size === 0 ? 0 : permitsOf(entries.filter(({ key }) => kept.has(key)))
  let isBlocked = false
  for (const entry of entries) {
    if (kept.has(entry.key)) {
      holders.push(entry)
      continue
    }
    const all = inForce?.size ?? entry.size
    if (entry.permits > all) {
      passedOver.add(entry)
      waiters.push(entry)
      continue
    }
    used += entry.permits
    isBlocked ||= used > all
    ;(isBlocked ? waiters : holders).push(entry)
  }
  return { holders, waiters, passedOver }
}

export const permitsOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { permits }) => sum + permits, 0)

/** Whether one more would get in at the end of the queue. */
export function hasRoom(listing: Listing, permits: number, ownSize: number): boolean {
  const { holders, waiters, passedOver } = standingOf(listing)
  const used = permitsOf(holders)
  return waiters.length === passedOver.size && used + permits <= (listing.size?.size ?? ownSize)
}
