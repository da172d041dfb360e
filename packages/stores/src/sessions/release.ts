import type { ReleaseReply, ReleaseRequest } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import type { StepDeps } from './deps.js'
import { noteOf } from './notes.js'
import type { Place } from './place.js'
import { standingOf } from './shared.js'

const released: ReleaseReply = { kind: 'released' }
const notHeld: ReleaseReply = { kind: 'not-held' }

/** Gives back what an owner has, or takes it from the owner. */
export class Releasing {
  readonly #deps: StepDeps

  constructor(deps: StepDeps) {
    this.#deps = deps
  }

  async release(address: QueueAddress, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    const { places, store, tombstones } = this.#deps
    const { owner, count, tombstoneMs } = request
    // At once, so that requests of this owner that wait for their turn find it.
    tombstones.leave(owner, tombstoneMs)
    if (!places.find(address.id, owner)) return notHeld
    return places.run(owner, address, async (place) => {
      if (count > 0) return this.#lower(place, count, timeoutMs)
      if (tombstoneMs > 0) await store.bar?.(address, owner, tombstoneMs, timeoutMs)
      return this.#leave(place, timeoutMs)
    })
  }

  /** Evicts a holder and tells its client. */
  async force(address: QueueAddress, owner: string): Promise<ReleaseReply> {
    const { host, places, store } = this.#deps
    const { holders } = standingOf(await store.list(address, host.commandTimeoutMs))
    const entry = holders.find((holder) => holder.owner === owner)
    if (!entry || !(await store.evict(entry, host.commandTimeoutMs))) return notHeld
    const own = places.at(entry)
    if (own) {
      places.clear(own)
      host.revoked(owner)
    }
    return released
  }

  async #leave(place: Place, timeoutMs: number): Promise<ReleaseReply> {
    const { places, store } = this.#deps
    const { address, owner, doubt, isHeld } = place
    const entry = place.entry ?? (doubt === undefined ? null : await store.find(address, owner, timeoutMs))
    const wasThere = entry !== null && (await store.remove(entry, timeoutMs))
    const hasLeft = wasThere && isHeld
    places.clear(place, hasLeft && !place.isShared ? { kind: 'left', entry } : undefined)
    return hasLeft ? released : notHeld
  }

  /** Of a lock the count, of other objects the permits. */
  async #lower(place: Place, count: number, timeoutMs: number): Promise<ReleaseReply> {
    const { host, places, store } = this.#deps
    const { entry, isHeld, isShared, leaseMs } = place
    if (!entry || !isHeld) return notHeld
    if (isShared) {
      const shrunk = entry.permits <= count ? entry : await store.shrink(entry, count, timeoutMs)
      if (shrunk) {
        place.entry = shrunk
        place.moved({ kind: 'held' })
        return released
      }
    } else if (await store.update(entry, noteOf(count, leaseMs, host.watchdogTimeoutMs), timeoutMs)) {
      place.count = count
      return released
    }
    places.clear(place)
    return notHeld
  }
}
