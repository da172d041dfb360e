import type { QueueAddress } from './address.js'
import { Place } from './place.js'
import type { Entry } from './store.js'

/** All that this client knows of its owners. */
export class Places {
  readonly #byOwner = new Map<string, Place>()

  get isEmpty(): boolean {
    return this.#byOwner.size === 0
  }

  find(owner: string): Place | undefined {
    return this.#byOwner.get(owner)
  }

  /** The place that has this entry. */
  at(entry: Entry): Place | undefined {
    const place = this.#byOwner.get(entry.owner)
    return place?.entry?.key === entry.key ? place : undefined
  }

  /** Runs a step about an owner when those before it are over. The place is forgotten when nothing is left of it. */
  async run<T>(owner: string, address: QueueAddress, step: (place: Place) => Promise<T>): Promise<T> {
    const place = this.#byOwner.get(owner) ?? new Place(owner, address)
    this.#byOwner.set(owner, place)
    try {
      return await place.inTurn(() => step(place))
    } finally {
      this.#forgetIfEmpty(place)
    }
  }

  clear(place: Place): void {
    place.clear()
    this.#forgetIfEmpty(place)
  }

  /** A session is over, and every entry of it. */
  ended(session: string): void {
    for (const place of [...this.#byOwner.values()]) {
      if (place.entry?.session === session || (!place.entry && place.doubt === session)) this.clear(place)
    }
  }

  close(): void {
    for (const place of [...this.#byOwner.values()]) place.clear()
    this.#byOwner.clear()
  }

  #forgetIfEmpty(place: Place): void {
    if (place.isEmpty && this.#byOwner.get(place.owner) === place) this.#byOwner.delete(place.owner)
  }
}
