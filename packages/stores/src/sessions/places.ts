import { idOf, type QueueAddress } from './address.js'
import { Place, type Move } from './place.js'
import type { Entry } from './store.js'

/** All that this client knows of its owners, each of whom may have places in several queues. */
export class Places {
  readonly #places = new Map<string, Place>()

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** @param id - of the object's address */
  find(id: string, owner: string): Place | undefined {
    return this.#places.get(keyOf(id, owner))
  }

  /** The place that has this entry. */
  at(entry: Entry): Place | undefined {
    const place = this.find(idOf(entry.queue), entry.owner)
    return place?.entry?.key === entry.key ? place : undefined
  }

  /** The same, or the one that is about to have it: replies may overtake each other. @param session - that is running */
  aboutToBeAt(entry: Entry, session: string): Place | undefined {
    const place = this.find(idOf(entry.queue), entry.owner)
    return place && !place.entry && entry.session === session ? place : this.at(entry)
  }

  /** Runs a step about an owner when those before it are over. The place is forgotten when nothing is left of it. */
  async run<T>(owner: string, address: QueueAddress, step: (place: Place) => Promise<T>): Promise<T> {
    const place = this.find(address.id, owner) ?? new Place(owner, address)
    this.#places.set(keyOf(address.id, owner), place)
    try {
      return await place.inTurn(() => step(place))
    } finally {
      this.#forgetIfEmpty(place)
    }
  }

  clear(place: Place, last?: Move): void {
    place.clear(last)
    this.#forgetIfEmpty(place)
  }

  /** A session is over, and every entry of it. */
  ended(session: string): void {
    for (const place of [...this.#places.values()]) {
      if (place.entry?.session === session || (!place.entry && place.doubt === session)) this.clear(place)
    }
  }

  close(): void {
    for (const place of [...this.#places.values()]) place.clear()
    this.#places.clear()
  }

  #forgetIfEmpty(place: Place): void {
    const key = keyOf(place.address.id, place.owner)
    if (place.isEmpty && this.#places.get(key) === place) this.#places.delete(key)
  }
}

const keyOf = (id: string, owner: string): string => `${owner} ${id}`
