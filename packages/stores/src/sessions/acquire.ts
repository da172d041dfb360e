import { UnavailableError, type AcquireReply, type AcquireRequest } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import type { StepDeps } from './deps.js'
import { noteOf } from './notes.js'
import type { Place } from './place.js'
import { hasRoom, standingOf } from './shared.js'
import type { Entry, Listing, QueueStore } from './store.js'

/** Lets an owner in, sets its count, or queues it. */
export class Acquiring {
  readonly #deps: StepDeps

  constructor(deps: StepDeps) {
    this.#deps = deps
  }

  acquire(address: QueueAddress, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    const { owner } = request
    return this.#deps.places.run(owner, address, (place) => this.#acquire(place, request, timeoutMs))
  }

  async #acquire(place: Place, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    const { places, tombstones } = this.#deps
    if (tombstones.has(place.owner)) return { kind: 'abandoned' }
    const isReentry = !place.isShared && request.count > 1
    if (!place.isHeld && isReentry) return { kind: 'lost' }
    if (place.isHeld) {
      const again = await this.#again(place, request, timeoutMs)
      if (again) return again
      places.clear(place)
      if (isReentry) return { kind: 'lost' }
    }
    place.adopt(request)
    return this.#enter(place, request, timeoutMs)
  }

  /** The owner is in: a re-entry, or the first request again. A write in any case, since that proves the session. `null`: it is not in. */
  async #again(place: Place, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply | null> {
    const { brake, host, store } = this.#deps
    const { entry, isShared } = place
    if (!entry) return null
    if (isShared && entry.permits < request.count) return { kind: 'lost' }
    const count = isShared ? 1 : Math.max(request.count > 1 ? request.count : place.count, 1)
    const leaseMs = Math.max(place.leaseMs, request.leaseMs)
    if (!(await store.update(entry, noteOf(count, leaseMs, host.watchdogTimeoutMs), timeoutMs))) return null
    // The session may have ended while that was on its way, and the entry with it.
    if (place.entry?.key !== entry.key) throw sessionOver(store, place.owner)
    place.count = count
    brake.extend(place, request.leaseMs)
    return { kind: 'held', token: place.token }
  }

  async #enter(place: Place, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    const { brake, places, sizes, store, turns } = this.#deps
    const { entryTtlMs, leaseMs } = request
    if (entryTtlMs === 0 && !place.entry && place.doubt === undefined) {
      // It must not queue, not even for a moment.
      const listing = await sizes.list(place.address, timeoutMs)
      if (!hasRoom(listing, place.wanted, place.size)) return busy(listing, 0)
    }
    const listing = await this.#listing(place, request, timeoutMs)
    if (!listing) return { kind: 'abandoned' }
    const { entry } = place
    if (entryTtlMs === 0 && entry && !holds(entry, listing)) {
      await store.remove(entry, timeoutMs)
      places.clear(place)
      return busy(listing, 0)
    }
    switch (await turns.judge(place, listing, timeoutMs)) {
      case 'holds':
        brake.extend(place, leaseMs)
        return { kind: 'held', token: place.token }
      case 'waits':
        return busy(listing, positionIn(listing, entry))
      case 'gone':
        places.clear(place)
        throw new UnavailableError(
          `${store.name}: the queue entry of ${place.owner} is gone; it enters again`,
        )
    }
  }

  /** The queue, with the owner's entry in it. `null`: the owner is barred. */
  async #listing(place: Place, { leaseMs }: AcquireRequest, timeoutMs: number): Promise<Listing | null> {
    const { host, sizes, store } = this.#deps
    const { address, owner, wanted: permits, size } = place
    if (place.entry) return sizes.list(address, timeoutMs)
    const entered = await inDoubt(place, store, async () => {
      const own = place.doubt === undefined ? null : await store.find(address, owner, timeoutMs)
      if (own) place.hasWaited = true
      if (own) return { own, listing: await store.list(address, timeoutMs) }
      const note = noteOf(1, leaseMs, host.watchdogTimeoutMs)
      return store.enter(address, { owner, permits, size, note }, timeoutMs)
    })
    if (!entered) return null
    // A reply may come after the session has ended that it is about.
    if (entered.own.session !== store.session) {
      throw sessionOver(store, owner)
    }
    place.entry = entered.own
    const listing = await sizes.settled(address, entered.listing, timeoutMs)
    if (listing !== entered.listing) place.hasWaited = true
    return listing
  }
}

const sessionOver = ({ name }: QueueStore, owner: string): UnavailableError =>
  new UnavailableError(`${name}: the session has ended in which ${owner} entered; it enters again`)

/** If it fails, an entry may be there, in the session that runs then. */
async function inDoubt<T>(place: Place, store: QueueStore, enter: () => Promise<T>): Promise<T> {
  try {
    const entered = await enter()
    place.doubt = undefined
    return entered
  } catch (error) {
    place.doubt = store.session
    throw error
  }
}

const holds = (entry: Entry, listing: Listing): boolean =>
  standingOf(listing).holders.some(({ key }) => key === entry.key)

/** Among those that wait; one that left since, or waits outside, comes last. */
function positionIn(listing: Listing, entry: Entry | undefined): number {
  const { waiters } = standingOf(listing)
  const at = waiters.findIndex(({ key }) => key === entry?.key)
  return at < 0 ? waiters.length + 1 : at + 1
}

/** Nothing becomes free without an event, so there is no time after which to look. */
const busy = ({ entries: [first] }: Listing, position: number): AcquireReply => ({
  kind: 'busy',
  ttlMs: Infinity,
  holder: first?.owner ?? '',
  position,
})
