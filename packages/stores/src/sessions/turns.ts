import type { EngineHost } from '@holdfast/core/engine'
import type { Background } from './background.js'
import type { Brake } from './brake.js'
import { obstacleOf, type Obstacle } from './obstacle.js'
import { isFresh } from './heartbeat.js'
import type { Place } from './place.js'
import type { Places } from './places.js'
import { standingOf } from './shared.js'
import type { SizeWatches } from './size-watches.js'
import type { Sizes } from './sizes.js'
import type { Entry, Listing, QueueStore } from './store.js'

/** What a listing says of a place: it holds now; it waits, and something is watched; or its entry is gone. */
export type Verdict = 'holds' | 'waits' | 'gone'

export interface TurnsDeps {
  readonly host: EngineHost
  readonly store: QueueStore
  readonly places: Places
  readonly brake: Brake
  readonly background: Background
  readonly sizes: Sizes
  readonly sizeWatches: SizeWatches
}

/** Has those that wait look again when what is in their way is gone, and tells the client when they hold. */
export class Turns {
  readonly #deps: TurnsDeps

  constructor(deps: TurnsDeps) {
    this.#deps = deps
  }

  /**
   * Goes by a listing that is not older than the entry of the place, and whose size is in force.
   *
   * @param isArmed - any change of the queue since this listing is watched
   */
  async judge(place: Place, listing: Listing, timeoutMs: number, isArmed = false): Promise<Verdict> {
    const { entry } = place
    // By its key: an entry of the same owner in a session that is over may still be there.
    if (!entry || !listing.entries.some(({ key }) => key === entry.key)) return 'gone'
    // While it lets one in, the session may end.
    if (await this.#letIn(place, entry, listing, timeoutMs))
      return place.entry?.key === entry.key ? 'holds' : 'gone'
    return this.#watch(place, entry, listing, timeoutMs, isArmed)
  }

  async #letIn(place: Place, entry: Entry, listing: Listing, timeoutMs: number): Promise<boolean> {
    const { holders, passedOver } = standingOf(listing)
    if (!holders.some(({ key }) => key === entry.key)) return false
    const token = await this.#tokenOf(place, entry, listing, timeoutMs)
    if (token === null) return true
    const isMarked = listing.size !== undefined && place.hasWaited
    if (place.address.object === 'semaphore' && !isMarked && isWatched(entry, listing, passedOver))
      this.#mark(entry)
    await this.#getIn(place, token, timeoutMs)
    return true
  }

  async #getIn(place: Place, token: number, timeoutMs: number): Promise<void> {
    place.unwatch()
    place.token = token
    place.isHeld = true
    place.moved({ kind: 'held' })
    // A listing proves nothing, and entering may not: with an old proof the hold could be claimed for a moment only.
    const { host, store } = this.#deps
    if (!isFresh(host, store)) await store.prove([], timeoutMs)
  }

  /** Since a resize others may have got in that came later. `null`: the entry is gone. */
  async #tokenOf(place: Place, entry: Entry, { size }: Listing, timeoutMs: number): Promise<number | null> {
    if (!size || !place.hasWaited) return entry.token
    const token = await this.#deps.store.mark(entry, timeoutMs)
    if (token === null) this.#deps.places.clear(place)
    return token
  }

  /** The next one watches this entry. */
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
    place.hasWaited = true
    const obstacle = obstacleOf(entry, listing)
    if (obstacle.kind !== 'any change' && !(await this.#watchSize(place, listing, timeoutMs))) {
      return this.judge(place, await this.#deps.sizes.list(place.address, timeoutMs), timeoutMs)
    }
    // Nothing may happen between this look and the beginning of the watch.
    const isPassed = obstacle.kind === 'marked' && this.#isPassed(place, obstacle.entry)
    place.watchesAll = obstacle.kind === 'any change' || isPassed
    if (place.watchesAll) this.#deps.sizes.watchEnd(place.address, listing.size)
    if (place.watchesAll && isArmed) return 'waits'
    place.stopWatching?.()
    place.stopWatching = undefined
    if (obstacle.kind === 'size') return 'waits'
    if ('entry' in obstacle && !isPassed) {
      place.stopWatching = await this.#behind(place, obstacle, timeoutMs)
      return 'waits'
    }
    // It may have changed before it is watched.
    const seen = await this.#listAndWatch(place, timeoutMs)
    return this.judge(place, seen, timeoutMs, true)
  }

  /** `false`: it is another one than that of the listing. */
  async #watchSize(place: Place, listing: Listing, timeoutMs: number): Promise<boolean> {
    if (place.address.object !== 'semaphore') return true
    return this.#deps.sizeWatches.join(place, listing, this.#once(place), timeoutMs)
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
    { kind, entry }: Extract<Obstacle, { entry: Entry }>,
    timeoutMs: number,
  ): Promise<() => void> {
    const { places, store } = this.#deps
    const look = this.#once(place)
    const ahead = places.aboutToBeAt(entry, store.session)
    if (ahead) {
      const succeed = this.#once(place, (own) => this.#succeed(own))
      return ahead.follow((move) => {
        if (move.kind === 'left' && move.entry.key === entry.key) succeed()
        else if (move.kind !== 'held' || kind === 'marked') look()
      })
    }
    if (kind === 'gone') return store.whenGone(entry, look, timeoutMs)
    const lookPast = (): void => {
      place.passedMark = entry.key
      look()
    }
    return store.whenMarked(entry, lookPast, timeoutMs)
  }

  async #listAndWatch(place: Place, timeoutMs: number): Promise<Listing> {
    const { sizes, store } = this.#deps
    const look = this.#once(place)
    const { listing, stop } = await store.whenChanged(place.address, look, timeoutMs)
    place.stopWatching?.()
    place.stopWatching = stop
    return sizes.settled(place.address, listing, timeoutMs)
  }

  #once(place: Place, step = (own: Place) => this.#look(own)): () => void {
    const { places } = this.#deps
    const { entry } = place
    return () => {
      void places.run(place.owner, place.address, (now) =>
        now === place && now.entry === entry && !now.isHeld ? step(now) : Promise.resolve(),
      )
    }
  }

  /** It may be its turn. */
  #look(place: Place): Promise<void> {
    const { host, sizes } = this.#deps
    const { commandTimeoutMs } = host
    return this.#conclude(place, async () => {
      const isArmed = place.watchesAll
      const listing = isArmed
        ? await this.#listAndWatch(place, commandTimeoutMs)
        : await sizes.list(place.address, commandTimeoutMs)
      return this.judge(place, listing, commandTimeoutMs, isArmed)
    })
  }

  /**
   * The one right ahead held the lock and has left it, so this one is the first: nobody ever gets in between. There is nothing to
   * look up.
   */
  #succeed(place: Place): Promise<void> {
    return this.#conclude(place, async () => {
      const { entry } = place
      if (!entry) return 'gone'
      await this.#getIn(place, entry.token, this.#deps.host.commandTimeoutMs)
      return place.entry?.key === entry.key ? 'holds' : 'gone'
    })
  }

  /** Tells the client what becomes of a place. Never rejects. */
  async #conclude(place: Place, judge: () => Promise<Verdict>): Promise<void> {
    const { host, places } = this.#deps
    const verdict = await judge().catch(() => 'unknown' as const)
    if (verdict === 'waits') return
    if (verdict === 'holds') {
      this.#tellGrant(place)
      return
    }
    if (verdict === 'gone') places.clear(place)
    host.wake(place.address.id, place.owner)
  }

  #tellGrant(place: Place): void {
    const { brake, host } = this.#deps
    const { owner, address, proof, grantLeaseMs, token } = place
    // The lease is a brake of this client, so it begins when the client knows.
    const grantedAt = host.now()
    brake.extend(place, grantLeaseMs)
    host.granted(address.id, owner, { proof, token, leaseMs: grantLeaseMs, grantedAt })
  }
}

/** Whether the one behind is of another client. It may hold, too, and not know it yet. */
function isWatched({ key, session }: Entry, { entries }: Listing, passedOver: ReadonlySet<Entry>): boolean {
  const at = entries.findIndex((entry) => entry.key === key)
  const next = entries.find((entry, i) => i > at && !passedOver.has(entry))
  return next !== undefined && next.session !== session
}
