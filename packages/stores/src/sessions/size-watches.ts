import { idOf } from './address.js'
import type { Place } from './place.js'
import type { Sizes } from './sizes.js'
import type { Listing, QueueStore } from './store.js'

/** All places of this client that wait for one semaphore. */
interface SizeWatch {
  readonly looks: Map<Place, () => void>
  /** The version that is watched, once it is. */
  version: Promise<number> | undefined
  stop: (() => void) | undefined
}

/** Has those that wait for a semaphore look again when it is resized: one watch for all of one client. */
export class SizeWatches {
  readonly #store: QueueStore
  readonly #sizes: Sizes
  readonly #watches = new Map<string, SizeWatch>()

  constructor(store: QueueStore, sizes: Sizes) {
    this.#store = store
    this.#sizes = sizes
  }

  /**
   * Has a place look when the size is no longer that of the listing, until it is left.
   *
   * @returns `false`: it no longer is
   */
  async join(place: Place, { size }: Listing, look: () => void, timeoutMs: number): Promise<boolean> {
    const id = idOf(place.address)
    const watch: SizeWatch = this.#watches.get(id) ?? {
      looks: new Map(),
      version: undefined,
      stop: undefined,
    }
    this.#watches.set(id, watch)
    watch.looks.set(place, look)
    place.leaveSize = () => this.#leave(watch, place)
    this.#sizes.watchEnd(place.address, size)
    watch.version ??= this.#begin(watch, place, timeoutMs)
    return (await watch.version) === (size?.version ?? 0)
  }

  async #begin(watch: SizeWatch, { address }: Place, timeoutMs: number): Promise<number> {
    const changed = (): void => {
      watch.version = watch.stop = undefined
      for (const look of [...watch.looks.values()]) look()
    }
    try {
      const { listing, stop } = await this.#store.whenResized(address, changed, timeoutMs)
      if (watch.looks.size === 0) stop()
      else watch.stop = stop
      return listing.size?.version ?? 0
    } catch (error) {
      watch.version = undefined
      throw error
    }
  }

  #leave(watch: SizeWatch, place: Place): void {
    watch.looks.delete(place)
    if (watch.looks.size > 0) return
    watch.stop?.()
    watch.version = watch.stop = undefined
    const id = idOf(place.address)
    if (this.#watches.get(id) === watch) this.#watches.delete(id)
  }
}
