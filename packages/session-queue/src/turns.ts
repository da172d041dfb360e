import type { EngineHost } from '@holdfast/core/engine'
import type { Background } from './background.js'
import type { Brake } from './brake.js'
import { obstacleOf, type Obstacle } from './obstacle.js'
import { isFresh } from './heartbeat.js'
import type { Place } from './place.js'
import type { Places } from './places.js'
import { isTooLarge, standingOf } from './shared.js'
import type { Entry, Listing, QueueStore } from './store.js'

/** What a listing says of a place: it holds now; it waits, and something is watched; or its entry is gone. */
export type Verdict = 'holds' | 'waits' | 'gone'

export interface TurnsDeps {
  readonly host: EngineHost
  readonly store: QueueStore
  readonly places: Places
  readonly brake: Brake
  readonly background: Background
}

/** Has those that wait look again when what is in their way is gone, and tells the client when they hold. */
export class Turns {
  readonly #deps: TurnsDeps

  constructor(deps: TurnsDeps) {
    this.#deps = deps
  }

  /**
   * Goes by a listing that is not older than the entry of the place.
   *
   * @param isArmed - any change of the queue since this listing is watched
   */
  async judge(place: Place, listing: Listing, timeoutMs: number, isArmed = false): Promise<Verdict> {
    const { store } = this.#deps
    const { entry } = place
    // By its key: an entry of the same owner in a session that is over may still be there.
    if (!entry || !listing.entries.some(({ key }) => key === entry.key)) return 'gone'
    // While it lets one in, the session may end.
    if (await this.#letIn(place, entry, listing, timeoutMs))
      return place.entry?.key === entry.key ? 'holds' : 'gone'
    if (!isTooLarge(listing, entry.permits)) return this.#watch(place, entry, listing, timeoutMs, isArmed)
    // It would hold up those behind it. It comes back when there is room for it.
    await store.remove(entry, timeoutMs)
    place.clear()
    await this.#watchFromOutside(place, timeoutMs)
    return 'waits'
  }

  async #letIn(place: Place, entry: Entry, listing: Listing, timeoutMs: number): Promise<boolean> {
    const { holders, waiters } = standingOf(listing)
    if (!holders.some(({ key }) => key === entry.key)) return false
    place.stopWatching?.()
    place.stopWatching = undefined
    place.isHeld = true
    place.moved('held')
    const [next] = waiters
    if (place.address.object === 'semaphore' && next && next.session !== entry.session) this.#mark(entry)
    // A listing proves nothing, and entering may not: with an old proof the hold could be claimed for a moment only.
    const { host, store } = this.#deps
    if (!isFresh(host, store)) await store.prove([], timeoutMs)
    return true
  }

  /** The next one watches this entry: it is the first that waits now. */
  #mark(entry: Entry): void {
    const { background, places, store, host } = this.#deps
    background.repeat(
      () => store.mark(entry, host.commandTimeoutMs),
      () => places.at(entry) !== undefined,
    )
  }

  async #watch(
    place: Place,
    entry: Entry,
    listing: Listing,
    timeoutMs: number,
    isArmed: boolean,
  ): Promise<Verdict> {
    const obstacle = obstacleOf(entry, listing)
    const isPassed = obstacle.kind === 'marked' && this.#isPassed(place, obstacle.entry)
    place.watchesAll = obstacle.kind === 'any change' || isPassed
    if (place.watchesAll && isArmed) return 'waits'
    place.stopWatching?.()
    place.stopWatching = undefined
    if (obstacle.kind !== 'any change' && !isPassed) {
      place.stopWatching = await this.#behind(place, obstacle, timeoutMs)
      return 'waits'
    }
    // It may have changed before it is watched.
    const seen = await this.#listAndWatch(place, timeoutMs)
    return this.judge(place, seen, timeoutMs, true)
  }

  /** Whether the entry ahead was marked already, so that no mark will come: known from the store, or since it is of this client. */
  #isPassed(place: Place, ahead: Entry): boolean {
    if (ahead.key === place.passedMark) return true
    const own = this.#deps.places.at(ahead)
    if (!own) return false
    return ahead.queue.object === 'semaphore' ? own.isHeld : own.entry?.permits !== ahead.permits
  }

  /** Of an entry of this client no event is needed. */
  async #behind(
    place: Place,
    { kind, entry }: Exclude<Obstacle, { kind: 'any change' }>,
    timeoutMs: number,
  ): Promise<() => void> {
    const { places, store } = this.#deps
    const look = this.#once(place)
    const ahead = places.at(entry)
    if (ahead) return ahead.follow((move) => (move === 'gone' || kind === 'marked') && look())
    if (kind === 'gone') return store.whenGone(entry, look, timeoutMs)
    const lookPast = (): void => {
      place.passedMark = entry.key
      look()
    }
    return store.whenMarked(entry, lookPast, timeoutMs)
  }

  async #listAndWatch(place: Place, timeoutMs: number): Promise<Listing> {
    const look = this.#once(place)
    const { listing, stop } = await this.#deps.store.whenChanged(place.address, look, timeoutMs)
    place.stopWatching?.()
    place.stopWatching = stop
    return listing
  }

  /** Without an entry: until the size is another one. */
  async #watchFromOutside(place: Place, timeoutMs: number): Promise<void> {
    const { host, store } = this.#deps
    const wake = (): void => host.wake(place.address.id, place.owner)
    const { listing, stop } = await store.whenChanged(place.address, wake, timeoutMs)
    place.stopWatching = stop
    if (!isTooLarge(listing, place.wanted)) wake()
  }

  #once(place: Place): () => void {
    const { places } = this.#deps
    const { entry } = place
    return () => {
      void places.run(place.owner, place.address, (now) =>
        now === place && now.entry === entry && !now.isHeld ? this.#look(now) : Promise.resolve(),
      )
    }
  }

  /** It may be its turn. Never rejects. */
  async #look(place: Place): Promise<void> {
    const { host, store, places } = this.#deps
    const { owner, address } = place
    const { commandTimeoutMs } = host
    let verdict: Verdict | 'unknown'
    try {
      const isArmed = place.watchesAll
      const listing = isArmed
        ? await this.#listAndWatch(place, commandTimeoutMs)
        : await store.list(address, commandTimeoutMs)
      verdict = await this.judge(place, listing, commandTimeoutMs, isArmed)
    } catch {
      verdict = 'unknown'
    }
    if (verdict === 'waits') return
    if (verdict === 'holds') {
      this.#tellGrant(place)
      return
    }
    if (verdict === 'gone') places.clear(place)
    host.wake(address.id, owner)
  }

  #tellGrant(place: Place): void {
    const { brake, host } = this.#deps
    const { owner, address, proof, grantLeaseMs, entry } = place
    // The lease is a brake of this client, so it begins when the client knows.
    const grantedAt = host.now()
    brake.extend(place, grantLeaseMs)
    host.granted(address.id, owner, { proof, token: entry?.token ?? 0, leaseMs: grantLeaseMs, grantedAt })
  }
}
