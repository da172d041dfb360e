import { standingOf } from './shared.js'
import type { Entry, Listing } from './store.js'

/**
 * What one that waits has to watch: that an entry goes, or also gets in (`marked`); or, for the first that waits for a semaphore, any change.
 * One event wakes one waiter, however many wait. A resize wakes all that wait for a semaphore, and one that is passed over nothing else.
 */
export type Obstacle =
  { readonly kind: 'gone' | 'marked'; readonly entry: Entry } | { readonly kind: 'any change' | 'size' }

/** @param own - waits, and is in the listing */
export function obstacleOf(own: Entry, listing: Listing): Obstacle {
  const at = listing.entries.findIndex(({ key }) => key === own.key)
  const ahead = listing.entries.slice(0, Math.max(0, at))
  const { passedOver } = standingOf(listing)
  if ([...passedOver].some(({ key }) => key === own.key)) return { kind: 'size' }
  const entry = own.queue.object === 'semaphore' ? waiterIn(ahead, listing) : blockerOf(own, ahead)
  if (!entry) return { kind: 'any change' }
  // A writer may become a reader, and one that waits for a semaphore gets in: then those behind it look, too.
  const goesOn = own.queue.object === 'semaphore' || (isReader(own) && !isReader(entry))
  return { kind: goesOn ? 'marked' : 'gone', entry }
}

/** The last that waits, and is not passed over. */
function waiterIn(ahead: readonly Entry[], listing: Listing): Entry | undefined {
  const { waiters, passedOver } = standingOf(listing)
  const blocking = new Set(waiters.filter((waiter) => !passedOver.has(waiter)))
  return ahead.filter((entry) => blocking.has(entry)).at(-1)
}

/** The one right ahead; for a reader the last writer ahead. */
const blockerOf = (own: Entry, ahead: readonly Entry[]): Entry | undefined =>
  own.queue.object === 'read-write-lock' && isReader(own)
    ? ahead.filter((entry) => !isReader(entry)).at(-1)
    : ahead.at(-1)

const isReader = ({ permits, size }: Entry): boolean => permits < size
