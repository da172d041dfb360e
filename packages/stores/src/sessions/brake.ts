import type { Background } from './background.js'
import type { Place } from './place.js'
import type { Places } from './places.js'
import type { QueueStore } from './store.js'

const longestMs = 2 ** 31 - 1

export interface BrakeDeps {
  readonly now: () => number
  readonly places: Places
  readonly store: QueueStore
  readonly commandTimeoutMs: number
  readonly background: Background
}

/**
 * Ends leases that are over while the session goes on: the store knows sessions only. If this process stands still, the session
 * ends instead.
 */
export class Brake {
  readonly #deps: BrakeDeps

  constructor(deps: BrakeDeps) {
    this.#deps = deps
  }

  /** The lease lasts for at least so long from now on. */
  extend(place: Place, leaseMs: number): void {
    place.leaseMs = Math.max(place.leaseMs, leaseMs)
    place.untilMs = Math.max(place.untilMs, this.#deps.now() + leaseMs)
    // One that is set fires no later, and looks again.
    if (!place.brake) this.#set(place)
  }

  #set(place: Place): void {
    const inMs = Math.max(0, Math.ceil(place.untilMs - this.#deps.now()))
    place.brake = setTimeout(() => this.#ring(place), Math.min(inMs + 1, longestMs))
    place.brake.unref()
  }

  #ring(place: Place): void {
    const { now, places } = this.#deps
    place.brake = undefined
    if (place.untilMs > now()) {
      this.#set(place)
      return
    }
    // A step that is under way may lengthen the lease.
    void places.run(place.owner, place.address, async () => {
      if (!place.isHeld || place.brake) return
      if (place.untilMs > now()) this.#set(place)
      else this.#end(place)
      return Promise.resolve()
    })
  }

  #end(place: Place): void {
    const { places, store, commandTimeoutMs, background } = this.#deps
    const { entry } = place
    places.clear(place)
    if (!entry) return
    background.repeat(
      () => store.remove(entry, commandTimeoutMs),
      () => entry.session === store.session,
    )
  }
}
