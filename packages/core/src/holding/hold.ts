import type { Renewable, RenewalOutcome, Watchdog } from '@holdfast/watchdog'
import type { Address, Renewal } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { notALock, toHoldfastError } from '../store-errors.js'
import type { LockLostError, LossReason } from '../errors.js'
import type { Events } from '../events.js'
import type { Request } from '../options.js'
import type { Possession } from '../ownership/possession.js'
import type { Background } from '../util/background.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { SerialQueue } from '../util/serial-queue.js'
import type { Abandonment } from './abandonment.js'
import type { HoldTable } from './hold-table.js'
import { LeaseClock } from './lease-clock.js'
import type { FirstProof } from './lease-clock.js'
import { LeaseSet } from './lease-set.js'
import type { OpenLease } from './lease-set.js'
import { lossForCaller, lossOf } from './loss.js'
import { enterUntilAnswered } from './re-entry.js'
import { sendRelease } from './release.js'
import type { PendingRelease, ReleaseOutcome } from './release.js'

/** What an acquisition hands over when it got the lock. */
export interface Grant extends FirstProof {
  readonly address: Address
  readonly n: number
  readonly owner: string
  readonly fencingToken: number
  /** A request of this owner may still be on its way. */
  readonly inDoubt: boolean
  /** Whether no connection broke since the store said so; otherwise the store there now may not know the hold. */
  readonly isProven: boolean
}

/** What holds need of their client. */
export interface HoldDeps<L extends OpenLease> {
  readonly session: Pick<
    EngineSession,
    'connectionEpoch' | 'acquire' | 'release' | 'renew' | 'incarnation' | 'knownIncarnation'
  >
  readonly settings: {
    readonly watchdogTimeoutMs: number
    readonly renewEveryMs: number
    readonly commandTimeoutMs: number
    readonly marginMs: number
  }
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>
  readonly holds: HoldTable<Hold<L>>
  readonly watchdog: Watchdog<Hold<L>>
  readonly background: Pick<Background, 'run'>
  readonly abandonment: Pick<Abandonment, 'abandon' | 'tombstoneMs'>
  makeLease(hold: Hold<L>, fixedLeaseMs: number | null, limitAt: number): L
}

/**
 * One owner's possession of one lock.
 *
 * | State    | true in it                                             | leaves it on                                     |
 * | -------- | ------------------------------------------------------ | ------------------------------------------------ |
 * | live     | at least one lease open, deadline ahead                | last lease left → leaving; loss → lost           |
 * | leaving  | no lease open, release under way, no longer renewed    | reply or deadline → released; "not held" → lost  |
 * | released | over                                                   | -                                                |
 * | lost     | over, and the holder was notified                      | -                                                |
 *
 * Its commands go out one after another, each with the count it wants.
 */
export class Hold<L extends OpenLease = OpenLease> implements Renewable, Possession {
  readonly address: Address
  readonly n: number
  readonly owner: string
  #fencingToken: number
  readonly #deps: HoldDeps<L>
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  readonly #leases = new LeaseSet<L>()
  readonly #commands = new SerialQueue()
  readonly #clock: LeaseClock
  readonly #limitAt: number
  #renewal: { readonly sentAt: Moment; readonly leaseMs: number } | undefined
  #requestedProof = false
  #inDoubt: boolean
  readonly #isProven: boolean
  #incarnation: string | undefined

  constructor(deps: HoldDeps<L>, grant: Grant, { maxHoldMs }: Request) {
    this.#deps = deps
    this.address = grant.address
    this.n = grant.n
    this.owner = grant.owner
    this.#fencingToken = grant.fencingToken
    this.#clock = new LeaseClock(grant, deps.settings.marginMs, monotonicMs())
    this.#limitAt = grant.grantedAt + maxHoldMs
    this.#inDoubt = grant.inDoubt
    this.#isProven = grant.isProven
    const incarnation = deps.session.knownIncarnation(grant.address)
    this.#incarnation = incarnation ?? undefined
    if (incarnation === undefined) this.#learnIncarnation()
    deps.holds.add(this)
  }

  /** Read by the watchdog. */
  get group(): string {
    return this.address.group
  }

  /** Until then the hold may be claimed, unless it is renewed. The store may keep it past the limit of a nested lease. */
  get deadlineAt(): number {
    return Math.min(this.#clock.deadlineAt, this.#nextLimitAt())
  }

  get count(): number {
    return this.#leases.count
  }

  /** 0 while it has none. */
  get fencingToken(): number {
    return this.#fencingToken
  }

  get isReleased(): boolean {
    return this.#state === 'leaving' || this.#state === 'released'
  }

  get isOver(): boolean {
    return this.isReleased || (this.#state === 'lost' && this.#leases.count === 0)
  }

  /** The loss, once there is one. Checking it past the deadline is how a holder learns of it after an event-loop stall. */
  get loss(): LockLostError | undefined {
    if (this.#state === 'live' && monotonicMs() >= this.deadlineAt) this.lose('expired')
    return this.#loss
  }

  /** Whether this process may claim the lock at this very moment. */
  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && !this.#sleptSinceProven()
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.deadlineAt - monotonicMs())) : 0
  }

  /** Read by the watchdog: a hold is renewed while an open lease wants it, until its limit stops it. */
  get renewEveryMs(): number | null {
    if (this.#clock.reaches(this.#nextLimitAt())) return null
    return this.#leases.isRenewed ? this.#deps.settings.renewEveryMs : null
  }

  /** The first lease; the acquisition has counted it at the store already. */
  open(request: Request, waitedMs: number): L {
    const lease = this.#addLease(request, waitedMs, this.#clock.grantedAt)
    if (this.#state !== 'live') return lease
    this.#deps.watchdog.add(this, this.#clock.grantedAt)
    if (!this.#isProven) this.#deps.watchdog.renewNow([this])
    return lease
  }

  /** Enters once more. `null` when the hold was released before its turn came: then the caller needs a hold of its own. */
  enter(request: Request, wantsToken: boolean): Promise<L | null> {
    const startedAt = monotonicMs()
    const attempt = (timeoutMs: number) => this.#enterOnce(request, wantsToken, timeoutMs)
    const details = { lockName: this.address.name, owner: this.owner }
    return this.#commands.run(async () => {
      const { events } = this.#deps
      const hasEntered = await enterUntilAnswered(attempt, request, startedAt, events, details)
      if (!hasEntered) return null
      const now = monotonicMs()
      return this.#addLease(request, now - startedAt, now)
    })
  }

  /** Leaves one lease; the last one releases the lock. Rejects with `LockLostError` when the hold was lost before. */
  async leave(lease: L): Promise<void> {
    const wasLost = this.loss !== undefined
    const slot = this.#commands.next()
    try {
      if (slot.ready) await slot.ready
      const release = this.#beginLeaving(lease, wasLost)
      if (release) this.#onLeft(release.count, await sendRelease(this.#deps, release))
    } finally {
      this.#endLeaving()
      slot.done()
    }
  }

  /** Extends a fixed lease; a later deadline stays, the limit of the hold still applies. */
  extend(leaseMs: number): Promise<void> {
    return this.#commands.run(async () => {
      this.#assertNotLost()
      const sentAt = momentNow()
      const capped = this.#sending(leaseMs)
      const renewal = { address: this.address, owner: this.owner, leaseMs: capped }
      const [reply] = await this.#deps.session
        .renew([renewal], this.#commandTimeoutMs)
        .catch((error: unknown) => {
          throw toHoldfastError(error, { lockName: this.address.name, owner: this.owner })
        })
      if (reply !== 'renewed') this.lose('not-held')
      this.#assertNotLost()
      this.#clock.prove(sentAt, capped)
      this.#deps.watchdog.reschedule(this)
    })
  }

  /** What the next renewal requests. 1 ms for a hold that only needs proof that it is still held. */
  nextRenewal(sentAt: Moment): Renewal {
    const wanted = this.renewEveryMs === null ? 1 : this.#deps.settings.watchdogTimeoutMs
    const leaseMs = this.#sending(wanted)
    this.#renewal = { sentAt, leaseMs }
    return { address: this.address, owner: this.owner, leaseMs }
  }

  /** Called by the watchdog. */
  settle(outcome: RenewalOutcome): void {
    this.#requestedProof = false
    if (outcome === 'lost') this.lose('not-held')
    if (outcome !== 'renewed' || this.#state !== 'live' || !this.#renewal) return
    this.#clock.prove(this.#renewal.sentAt, this.#renewal.leaseMs)
    const { events } = this.#deps
    if (!events.hasListeners('renewed')) return
    events.emit('renewed', { name: this.address.name, owner: this.owner, remainingMs: this.remainingMs() })
  }

  /** Called by the watchdog when the deadline has passed. */
  expire(): void {
    this.lose('expired')
  }

  /** Ends the hold for its holder: signals abort, the loss is reported. Does nothing when it is over already. */
  lose(reason: Exclude<LossReason, 'suspended'>): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const { name } = this.address
    const error = lossOf(this.address, this.owner, reason, this.#clock.reaches(this.#nextLimitAt()))
    this.#loss = error
    this.#deps.watchdog.delete(this)
    this.#deps.holds.remove(this, 'lost')
    this.#leases.abortAll(error)
    this.#deps.events.emit('lost', { name, owner: this.owner, error })
    // Unless the store itself said otherwise it may still count us as the holder: let the next one in as soon as it can be
    // reached. Notice of an eviction may be older than this hold, if its owner was let in again since.
    if (reason !== 'not-held' || this.#inDoubt) this.#abandon()
  }

  /** A command that is answered only after the deadline is of no use, and holds up the release behind it. */
  get #commandTimeoutMs(): number {
    const leftMs = Math.ceil(this.deadlineAt - monotonicMs())
    return Math.max(1, Math.min(this.#deps.settings.commandTimeoutMs, leftMs))
  }

  #assertNotLost(): void {
    if (this.loss) throw lossForCaller(this.loss)
  }

  /** Whether it was entered; not so when it was released before. */
  async #enterOnce(request: Request, wantsToken: boolean, waitLeftMs: number): Promise<boolean> {
    this.#assertNotLost()
    if (this.isReleased) return false
    const { session, settings } = this.#deps
    const sentAt = momentNow()
    const timeoutMs = Math.ceil(Math.min(this.#commandTimeoutMs, waitLeftMs))
    const wantedMs = Math.min(request.leaseMs ?? settings.watchdogTimeoutMs, request.maxHoldMs)
    const leaseMs = this.#sending(wantedMs)
    const acquireRequest = {
      owner: this.owner,
      count: this.#leases.count + 1,
      leaseMs,
      entryTtlMs: 0,
      grantLeaseMs: leaseMs,
      wantsToken: wantsToken && this.#fencingToken === 0,
    }
    const reply = await session.acquire(this.address, acquireRequest, timeoutMs)
    if (reply.kind === 'not-a-lock') throw notALock(this.address, reply)
    if (reply.kind === 'held') this.#fencingToken ||= reply.token
    else this.lose('not-held')
    this.#assertNotLost()
    this.#clock.prove(sentAt, leaseMs)
    return true
  }

  /** What to send, if anything. */
  #beginLeaving(lease: L, wasLost: boolean): PendingRelease | undefined {
    const { watchdog, abandonment } = this.#deps
    this.#leases.delete(lease)
    if (this.loss?.reason === 'expired' && !wasLost) {
      // It was held to the end; only a command that got no reply kept the release from being sent.
      this.#warnUnconfirmed()
      return undefined
    }
    this.#assertNotLost()
    const { count } = this.#leases
    if (count === 0) {
      this.#state = 'leaving'
      watchdog.delete(this)
    } else {
      watchdog.reschedule(this)
    }
    const tombstoneMs = count === 0 && this.#inDoubt ? abandonment.tombstoneMs(this.#clock.leaseMs) : 0
    const { address, owner, deadlineAt: until } = this
    return { address, owner, count, tombstoneMs, until, incarnation: this.#incarnation }
  }

  #onLeft(count: number, outcome: ReleaseOutcome): void {
    const { events } = this.#deps
    if (outcome === 'not-held') this.lose('not-held')
    this.#assertNotLost()
    if (outcome === 'unanswered') {
      this.#warnUnconfirmed()
      this.#abandon()
    }
    this.#endLeaving()
    if (!events.hasListeners('released')) return
    events.emit('released', { name: this.address.name, owner: this.owner, holdCount: count })
  }

  #endLeaving(): void {
    if (this.#state !== 'leaving') return
    this.#state = 'released'
    this.#deps.holds.remove(this, 'released')
  }

  #addLease({ leaseMs, maxHoldMs }: Request, waitedMs: number, enteredAt: number): L {
    const { events, watchdog } = this.#deps
    const lease = this.#deps.makeLease(this, leaseMs, enteredAt + maxHoldMs)
    this.#leases.add(lease)
    watchdog.reschedule(this)
    if (events.hasListeners('acquired')) {
      const { fencingToken, count: holdCount } = this
      const { name } = this.address
      events.emit('acquired', { name, owner: this.owner, holdCount, fencingToken, waitedMs })
    }
    return lease
  }

  #nextLimitAt(): number {
    return this.#leases.nextLimitAt(this.#limitAt)
  }

  /** The lease to send now. */
  #sending(wantedMs: number): number {
    return this.#clock.sending(wantedMs, this.#nextLimitAt(), monotonicMs())
  }

  /** Has the store drop the hold as soon as it can be reached; its TTL may outlive what this process believed. */
  #abandon(): void {
    const mayLastMs = this.#clock.mayLastMs(monotonicMs())
    this.#deps.abandonment.abandon(this.address, this.owner, this.#inDoubt, mayLastMs)
  }

  #warnUnconfirmed(): void {
    const { address, owner } = this
    const message =
      `the release of lock ${address.name} by ${owner} was not acknowledged; ` +
      'the lease will expire on its own'
    this.#deps.events.emit('warning', { code: 'RELEASE_UNCONFIRMED', message })
  }

  /** After a suspend the hold is unknown until a renewal, requested here, proves it. */
  #sleptSinceProven(): boolean {
    if (!this.#clock.hasSlept) return false
    if (!this.#requestedProof) {
      this.#requestedProof = true
      this.#deps.watchdog.renewNow([this])
    }
    return true
  }

  /** The incarnation that proved this hold, if no connection broke before it said which one it is. */
  #learnIncarnation(): void {
    const { session, background } = this.#deps
    const epoch = session.connectionEpoch
    const learn = async (): Promise<void> => {
      const incarnation = await session.incarnation(this.address)
      if (epoch === session.connectionEpoch) this.#incarnation = incarnation
    }
    // An unknown incarnation is fine: a release in doubt then counts as a loss.
    background.run(learn().catch(() => undefined))
  }
}
