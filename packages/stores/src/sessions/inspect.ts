import type { EngineHost, Inspection, SharedInspection } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import type { StepDeps } from './deps.js'
import type { Places } from './places.js'
import { permitsOf, standingOf } from './shared.js'
import type { Sizes } from './sizes.js'
import type { Entry, Listing, Look, QueueStore } from './store.js'

const free: Inspection = {
  kind: 'lock',
  owner: '',
  count: 0,
  ttlMs: -1,
  token: 0,
  waiterCount: 0,
  waiters: [],
}

/** A holder, and what the store knows of it. */
interface Seen extends Look {
  readonly entry: Entry
}

/** Who holds, and who waits. Changes nothing. */
export class Inspecting {
  readonly #host: EngineHost
  readonly #store: QueueStore
  readonly #places: Places
  readonly #sizes: Sizes

  constructor({ host, store, places, sizes }: StepDeps) {
    this.#host = host
    this.#store = store
    this.#places = places
    this.#sizes = sizes
  }

  async inspect(address: QueueAddress, limit: number): Promise<Inspection | SharedInspection> {
    const listing = await this.#sizes.list(address, this.#host.commandTimeoutMs)
    return address.object === 'lock' ? this.#lock(address, listing, limit) : this.#shared(listing, limit)
  }

  async #lock(
    address: QueueAddress,
    listing: Listing,
    limit: number,
  ): Promise<Inspection | SharedInspection> {
    const { holders, waiters } = standingOf(listing)
    const [holder] = holders
    if (!holder) return free
    const [seen] = await this.#look([holder])
    // It has just left, so another one holds.
    if (!seen) return this.inspect(address, limit)
    return {
      kind: 'lock',
      owner: holder.owner,
      count: seen.note.count,
      ttlMs: this.#restOf(seen),
      token: seen.token,
      waiterCount: waiters.length,
      waiters: waiters.slice(0, limit).map(({ owner }) => ({ owner, aliveMs: this.#aliveMs })),
    }
  }

  async #shared(listing: Listing, limit: number): Promise<SharedInspection> {
    const { holders, waiters } = standingOf(listing)
    const seen = await this.#look(holders.slice(0, limit))
    const listed = seen.map((each) => ({
      owner: each.entry.owner,
      permits: each.entry.permits,
      ttlMs: this.#restOf(each),
    }))
    return {
      kind: 'shared',
      size: listing.size?.size ?? 0,
      version: listing.size && listing.size.size !== null ? listing.size.version : 0,
      used: permitsOf(holders),
      holderCount: holders.length,
      holders: listed.sort((a, b) => a.ttlMs - b.ttlMs),
      token: Math.max(0, ...seen.map(({ token }) => token)),
      waiterCount: waiters.length,
      waiters: waiters.slice(0, limit).map(({ owner, permits }) => ({
        owner,
        permits,
        aliveMs: this.#aliveMs,
      })),
    }
  }

  async #look(entries: readonly Entry[]): Promise<Seen[]> {
    const looks = entries.map(async (entry) => {
      const look = await this.#store.look(entry, this.#host.commandTimeoutMs)
      return look ? [{ entry, ...look }] : []
    })
    return (await Promise.all(looks)).flat()
  }

  /** How long the hold lasts unless renewed. Of another client as it said at its last change, or as long as its session does. */
  #restOf({ entry, note, ageMs, leftMs }: Seen): number {
    const own = this.#places.at(entry)
    const ofOther = note.leaseMs > 0 ? Math.min(note.leaseMs - ageMs, leftMs) : leftMs
    return Math.max(0, Math.ceil(own?.isHeld ? own.untilMs - this.#host.now() : ofOther))
  }

  /** Those that wait do so for as long as their sessions. */
  get #aliveMs(): number {
    return Math.ceil(this.#store.sessionMs)
  }
}
