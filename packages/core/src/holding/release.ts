import type { Address, ReleaseRequest } from '../engine/requests.js'
import { ClosedError, notALock, RefusedError, toHoldfastError, UnavailableError } from '../errors/errors.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../time/time.js'
import { pause, retryAfterMs, timedOut, withTimeout } from '../util/timeouts.js'

export interface PendingRelease extends ReleaseRequest {
  readonly address: Address
  readonly title?: string
  /** The instant after which it no longer matters. */
  until: number
  /** The instant until which the lock is to stay held by no one; in the past for one that becomes free. */
  readonly keepUntil: number
  /** The incarnation of the store that confirmed the hold, if known. */
  readonly incarnation: string | undefined
  failures: number
  /** Whether the store said "not held", and could not be asked whether that was the doing of this release. */
  wasDenied: boolean
}

/** `unanswered`: the store did not reply in time, or until it no longer mattered. */
export type ReleaseOutcome = 'released' | 'not-held' | 'unanswered'

/**
 * Sends a release until it is answered, for at most `waitMs`, or until it no longer matters. May be called again for one that
 * got no answer.
 *
 * "Not held" is a loss, unless this very release may have run before: it frees the lock, and it was repeated or its
 * connection broke while it was in flight. Then the first run succeeded if the same incarnation of the store still has the
 * data and the hold could not have expired yet. Until that can be determined the outcome is unknown, and in the end a loss. Where
 * the store evicts single holds, the first run may have found nothing, too: always a loss.
 */
export async function sendRelease(
  store: StoreClient,
  release: PendingRelease,
  waitMs: number,
): Promise<ReleaseOutcome> {
  const { facts, steps, settings, background } = store
  const { address, title, owner, count, tombstoneMs, keepUntil, heir, until } = release
  let now = monotonicMs()
  const stopAt = Math.min(until, now + waitMs)
  for (;;) {
    const epoch = facts.connectionEpoch
    try {
      const timeoutMs = Math.max(1, Math.ceil(Math.min(settings.commandTimeoutMs, stopAt - now)))
      const keepMs = count === 0 && keepUntil > now ? Math.ceil(keepUntil - now) : undefined
      const reply = await steps.release(address, { owner, count, tombstoneMs, keepMs, heir }, timeoutMs)
      if (reply.kind === 'released') return 'released'
      if (reply.kind === 'not-a-lock') throw notALock(address, reply)
      release.wasDenied = true
      const isRepeated = release.failures > 0 || epoch !== facts.connectionEpoch
      // Of a hand-over that ran before the store says so.
      const mayHaveRunBefore = count === 0 && heir === undefined && !settings.evicts && isRepeated
      const isOurs = mayHaveRunBefore && (await isStill(store, release, stopAt - monotonicMs()))
      return isOurs && monotonicMs() < until ? 'released' : 'not-held'
    } catch (thrown) {
      const error = toHoldfastError(thrown, { lockName: address.name, owner, title })
      if (background.isEnded)
        throw new ClosedError('the Holdfast client is closed', { lockName: address.name, owner })
      if (!(error instanceof UnavailableError)) throw error
      release.failures++
      if (monotonicMs() < stopAt) {
        await pause(Math.min(retryAfterMs(release.failures), Math.max(0, stopAt - monotonicMs())))
      }
      now = monotonicMs()
      if (now >= stopAt) return release.wasDenied && now >= until ? 'not-held' : 'unanswered'
    }
  }
}

/** Whether the incarnation that confirmed the hold still has the data. Throws when the store does not say so in time. */
async function isStill(
  { facts }: StoreClient,
  { address, incarnation }: PendingRelease,
  withinMs: number,
): Promise<boolean> {
  if (incarnation === undefined) return false
  const found = await withTimeout(facts.incarnation(address), Math.max(1, withinMs))
  if (found === timedOut) throw new UnavailableError('the store did not say in time which incarnation it is')
  return found === incarnation
}

export interface AbandonedOwner {
  readonly address: Address
  readonly title: string
  readonly owner: string
  /** Whether a request of this owner may still be on its way. */
  readonly inDoubt: boolean
  readonly leaseMs: number
  /** The instant until which a lock that it holds is to stay held by no one, if it is. */
  readonly keepUntil?: number
  /** Who may hold it by now, until `keepUntil`, if it was to be handed over. */
  readonly heir?: string | undefined
}

export interface HeldBack {
  readonly address: Address
  proceed(): void
}

/**
 * For how many owners of one object requests may be on their way that a client has given up. Each may leave a mark at the store, which refuses
 * it should it arrive late: what a client leaves there depends neither on how often it tries nor on how briefly it waits.
 */
const mostUnsettled = 16

/** What is under way for owners of one object that were given up. */
interface Unsettled {
  count: number
  /** In the order in which they may go out. */
  readonly heldBack: Set<HeldBack>
}

/** Gives up owners that this client no longer acts for, so that what they may still hold does not keep others out. */
export class Abandonment {
  readonly #store: StoreClient
  /** By the id of the object. */
  readonly #unsettled = new Map<string, Unsettled>()

  constructor(store: StoreClient) {
    this.#store = store
  }

  /** How long a late request is refused: until anything it could bring about would have ended on its own. */
  tombstoneMs(leaseMs: number): number {
    const { watchdogTimeoutMs, commandTimeoutMs } = this.#store.settings
    return Math.max(leaseMs, watchdogTimeoutMs) + 2 * commandTimeoutMs
  }

  /**
   * Gives up an owner's hold and queue entry, in the background and for as long as either could exist: a queue entry
   * lives for one watchdog time, a hold for the lease that was requested.
   */
  abandon(owner: AbandonedOwner): void {
    const given = this.#giveUp(owner)
    if (owner.inDoubt) this.#unsettle(owner.address, given)
    else this.#store.background.run(given)
  }

  /**
   * Gives up an owner once its request has been answered, or certainly not in time: after a reply none is in doubt, and mostly
   * nothing is left to give up.
   *
   * @param owner - what is to be given up if that does not become known within one command's time
   * @param left - what is to be given up once it is known; never rejects
   */
  abandonLater(owner: AbandonedOwner, left: Promise<AbandonedOwner | undefined>): void {
    const known = withTimeout(left, this.#store.settings.commandTimeoutMs)
    const given = known.then(async (found) => {
      const abandoned = found === timedOut ? { ...owner, inDoubt: true } : found
      if (abandoned) await this.#giveUp(abandoned)
    })
    this.#unsettle(owner.address, given)
  }

  /** Whether a new owner may request; otherwise it is held back until fewer that were given up are unsettled. */
  mayRequest(wait: HeldBack): boolean {
    const unsettled = this.#unsettled.get(wait.address.id)
    if (!unsettled || (unsettled.count < mostUnsettled && unsettled.heldBack.size === 0)) return true
    unsettled.heldBack.add(wait)
    return false
  }

  withdraw(wait: HeldBack): void {
    this.#unsettled.get(wait.address.id)?.heldBack.delete(wait)
  }

  #unsettle({ id }: Address, given: Promise<void>): void {
    const unsettled = this.#unsettled.get(id) ?? { count: 0, heldBack: new Set() }
    this.#unsettled.set(id, unsettled)
    unsettled.count++
    this.#store.background.run(given.finally(() => this.#settle(id, unsettled)))
  }

  #settle(id: string, unsettled: Unsettled): void {
    const { heldBack } = unsettled
    unsettled.count--
    if (unsettled.count === 0) this.#unsettled.delete(id)
    let free = unsettled.count === 0 ? Infinity : mostUnsettled - unsettled.count
    for (const wait of heldBack) {
      if (free-- <= 0) return
      heldBack.delete(wait)
      wait.proceed()
    }
  }

  async #giveUp({
    address,
    title,
    owner,
    inDoubt,
    leaseMs,
    keepUntil = -Infinity,
    heir,
  }: AbandonedOwner): Promise<void> {
    const tombstoneMs = this.tombstoneMs(leaseMs)
    const release = {
      address,
      title,
      owner,
      count: 0,
      tombstoneMs: inDoubt ? tombstoneMs : 0,
      until: monotonicMs() + tombstoneMs,
      keepUntil: heir === undefined ? keepUntil : -Infinity,
      incarnation: undefined,
      failures: 0,
      wasDenied: false,
    }
    await this.#release(release)
    // Only now: what arrives late finds an owner that has nothing left to hand over.
    if (heir !== undefined) await this.#release({ ...release, owner: heir, tombstoneMs: 0, until: keepUntil })
  }

  /** The store may refuse it for a while only, as when its password changes: the first refusal is reported, and all are retried. */
  async #release(release: PendingRelease): Promise<void> {
    for (let refusals = 0; ;) {
      try {
        await sendRelease(this.#store, release, Infinity)
        return
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error
        refusals++
        if (refusals === 1) this.#store.events.emitError(error)
        const leftMs = release.until - monotonicMs()
        if (leftMs <= 0) return
        await pause(Math.min(retryAfterMs(refusals), leftMs))
      }
    }
  }
}
