import type { Renewable, RenewalOutcome, Watchdog } from '@holdfast/watchdog'
import type { LockSteps } from '../engine/lock-steps.js'
import type { RenewalReply } from '../engine/replies.js'
import { titleOf } from '../engine/requests.js'
import type { Address, ObjectKind, Renewal, Target } from '../engine/requests.js'
import type { StoreFacts } from '../engine/session.js'
import { UnavailableError } from '../errors/errors.js'
import type { LockLostError, LossReason } from '../errors/errors.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Turns } from '../ownership/turns.js'
import { LeaseClock } from '../time/lease-clock.js'
import type { FirstProof } from '../time/lease-clock.js'
import type { Background } from '../util/background.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import type { Abandonment } from './abandonment.js'
import type { HoldReports, Reported } from './hold-reports.js'
import type { HoldTable } from './hold-table.js'
import { LeaseSet } from './lease-set.js'
import { lossForCaller, lossOf } from './loss.js'
import type { Evictions } from './loss.js'

/** What keeping a hold alive needs of its client. */
export interface ProvenHoldDeps {
  readonly store: StoreFacts
  readonly settings: {
    readonly watchdogTimeoutMs: number
    readonly renewEveryMs: number
    readonly commandTimeoutMs: number
    readonly marginMs: number
    readonly evicts: boolean
  }
  readonly reports: HoldReports
  readonly holds: HoldTable<ProvenHold>
  readonly watchdog: Watchdog<ProvenHold>
  readonly background: Background
  readonly abandonment: Abandonment
  readonly evictions: Evictions
}

/**
 * A hold as the store proves it: until when it may be claimed, what renews and extends it, and how it is lost. Its leases come
 * and go in {@link Hold}, which has the table of states.
 */
export abstract class ProvenHold<D extends ProvenHoldDeps = ProvenHoldDeps> implements Renewable, Reported {
  readonly n: number
  readonly owner: string
  bodies: Turns | undefined
  protected readonly deps: D
  protected readonly leases: LeaseSet
  protected readonly counting: Counting
  protected state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  protected ownTarget: Target
  protected token: number
  /** The lock is to stay held until then, however early it is released. */
  protected keepUntil = -Infinity
  protected readonly clock: LeaseClock
  protected readonly inDoubt: boolean
  /** Of the store that proved it last, if known. */
  protected incarnation: string | undefined
  #loss: LockLostError | undefined
  /** What the watchdog sent and has no reply to. */
  #sent: Extension | undefined
  #requestedProof = false
  /** When it was last said to be evicted, unless the store has denied it since. */
  #saidEvictedAt: number | undefined

  constructor(deps: D, grant: Grant, maxHoldMs: number) {
    this.deps = deps
    this.ownTarget = grant.target
    this.counting = countingOf(grant.target)
    this.n = grant.n
    this.owner = grant.owner
    this.token = grant.fencingToken
    this.clock = new LeaseClock(grant, deps.settings.marginMs, monotonicMs())
    this.leases = new LeaseSet(grant.grantedAt + maxHoldMs)
    this.inDoubt = grant.inDoubt
    this.#learnIncarnation()
    deps.holds.add(this)
  }

  get target(): Target {
    return this.ownTarget
  }

  get address(): Address {
    return this.ownTarget.address
  }

  /** Of the lease that needs most. */
  get kind(): ObjectKind {
    return this.ownTarget.kind
  }

  /** Read by the watchdog. */
  get group(): string {
    return this.address.group
  }

  /** Until then the hold may be claimed, unless it is renewed. The store may keep it past the limit of a nested lease. */
  get deadlineAt(): number {
    return Math.min(this.clock.deadlineAt, this.leases.limitAt, this.#sessionEndsAt)
  }

  /** With an engine whose holds end with it. Not copied: it moves on without a word. */
  get #sessionEndsAt(): number {
    return this.deps.store.aliveUntil ?? Infinity
  }

  /** When it was granted. */
  get heldSince(): number {
    return this.clock.grantedAt
  }

  get count(): number {
    return this.leases.count
  }

  countOf(kind: ObjectKind): number {
    return this.leases.countOf(kind)
  }

  /** What the store is to count for it. */
  get value(): number {
    return this.counting.valueOf(this.leases)
  }

  /** 0 while it has none. */
  get fencingToken(): number {
    return this.token
  }

  get isReleased(): boolean {
    return this.state === 'leaving' || this.state === 'released'
  }

  /** Whether its release is over, too. */
  get isReleasedForGood(): boolean {
    return this.state === 'released'
  }

  get isOver(): boolean {
    return this.isReleased || (this.state === 'lost' && this.leases.count === 0)
  }

  /** The loss, once there is one. Checking it past the deadline is how a holder learns of it after an event-loop stall. */
  get loss(): LockLostError | undefined {
    this.endIfDue()
    return this.#loss
  }

  /** Loses it if its deadline has passed. */
  endIfDue(): void {
    if (this.state === 'live' && monotonicMs() >= this.deadlineAt) this.lose('expired')
  }

  /** Whether this process may claim the lock at this very moment. */
  get isHeld(): boolean {
    return this.loss === undefined && this.state === 'live' && !this.#sleptSinceProven()
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.deadlineAt - monotonicMs())) : 0
  }

  /** The share of its lease that is left, from 0 to 1. */
  get leaseLeft(): number {
    return this.clock.shareLeft(monotonicMs())
  }

  /** Read by the watchdog: a hold is renewed while an open lease wants it, until its limit stops it. */
  get renewEveryMs(): number | null {
    if (this.clock.reaches(this.leases.limitAt)) return null
    return this.leases.isRenewed ? this.deps.settings.renewEveryMs : null
  }

  /** What extends the hold if it is sent at once. */
  extension(wantedMs: number, sentAt: Moment = momentNow()): Extension {
    const leaseMs = this.sending(wantedMs)
    const { address, owner } = this
    return {
      sentAt,
      renewal: { address, owner, leaseMs },
      settle: (reply) => {
        if (reply === 'no-reply') {
          throw new UnavailableError(
            `${titleOf(this.ownTarget)} was not extended in time: the store is busy with it; the lease of ${owner} stays as it was`,
            { lockName: address.name, owner },
          )
        }
        // A release may have overtaken it.
        const isLive = this.state === 'live'
        if (isLive && reply !== 'renewed') this.lose('not-held')
        this.assertNotLost()
        if (!isLive) return
        this.prove(sentAt, leaseMs)
        this.deps.watchdog.reschedule(this)
      },
    }
  }

  /** What the watchdog sends for it now. Where nothing renews it, it only needs proof that it is still held. */
  nextRenewal(sentAt: Moment): Renewal {
    const isRenewed = this.renewEveryMs !== null
    const wantedMs = isRenewed ? this.deps.settings.watchdogTimeoutMs : this.clock.provingMs(monotonicMs())
    this.#sent = this.extension(wantedMs, sentAt)
    return this.#sent.renewal
  }

  /** Someone says that it was evicted: the store tells, at once. */
  checkEviction(): void {
    if (this.state !== 'live') return
    this.#saidEvictedAt = monotonicMs()
    this.deps.watchdog.renewNow([this])
  }

  /** Called by the watchdog. */
  settle(outcome: RenewalOutcome): void {
    const sent = this.#sent
    this.#sent = undefined
    this.#requestedProof = false
    if (outcome === 'lost') this.lose('not-held')
    if (outcome !== 'renewed' || this.state !== 'live' || !sent) return
    const { sentAt, renewal } = sent
    if ((this.#saidEvictedAt ?? Infinity) <= sentAt.monotonicMs) this.#saidEvictedAt = undefined
    this.prove(sentAt, renewal.leaseMs)
    const { reports } = this.deps
    reports.renewed(this)
    for (const lease of this.leases.dropped()) reports.dropped(this, lease)
  }

  /** Called by the watchdog when the deadline has passed. */
  expire(): void {
    this.lose('expired')
  }

  /**
   * Ends the hold for its holder: signals abort, the loss is reported. Does nothing when it is over already.
   *
   * @param reason - `expired` becomes `ended` for a hold that was not to be renewed any more
   * @param cause - the loss of another lock that takes this one along
   */
  lose(reason: Exclude<LossReason, 'suspended'>, cause?: Error): void {
    if (this.state === 'released' || this.state === 'lost') return
    this.state = 'lost'
    const { limitAt, isRenewed } = this.leases
    const isAtLimit = this.clock.reaches(limitAt)
    const hasSessionEnded = this.#sessionEndsAt < Math.min(this.clock.deadlineAt, limitAt)
    const isDue = !hasSessionEnded && (isAtLimit || !isRenewed)
    let why = reason
    if (reason === 'not-held' && this.#saidEvictedAt !== undefined) why = 'revoked'
    else if (reason === 'expired' && isDue) why = 'ended'
    const by = why === 'revoked' ? this.deps.evictions.take(this.owner) : undefined
    const error = lossOf(this.ownTarget, this.owner, why, { isAtLimit, hasSessionEnded, cause, by })
    this.#loss = error
    this.deps.watchdog.delete(this)
    this.deps.holds.remove(this, why === 'ended' ? 'ended' : 'lost')
    this.leases.abortAll(error)
    this.bodies?.letAllIn()
    this.deps.reports.lost(this, error)
    // Unless the store itself said otherwise it may still count us as the holder: let the next one in as soon as it can be
    // reached. Notice of an eviction may be older than this hold, if its owner was let in again since.
    if (reason !== 'not-held' || this.inDoubt) this.abandon()
  }

  /** The lease to send now. */
  protected sending(wantedMs: number): number {
    return this.clock.sending(wantedMs, this.leases.limitAt, monotonicMs())
  }

  protected assertNotLost(): void {
    const { loss } = this
    if (loss) throw lossForCaller(loss)
  }

  /** What errors say of it. */
  protected get details(): ErrorSubject {
    return { lockName: this.address.name, owner: this.owner, title: titleOf(this.ownTarget) }
  }

  /** Has the store drop the hold as soon as it can be reached; its TTL may outlive what this process believed. */
  protected abandon(): void {
    const mayLastMs = this.clock.mayLastMs(monotonicMs())
    const { address, owner } = this
    const title = titleOf(this.ownTarget)
    const { inDoubt, keepUntil } = this
    this.deps.abandonment.abandon({ address, title, owner, inDoubt, leaseMs: mayLastMs, keepUntil })
  }

  /** After a suspend the hold is unknown until a renewal, requested here, proves it. */
  #sleptSinceProven(): boolean {
    if (!this.clock.hasSlept) return false
    if (!this.#requestedProof) {
      this.#requestedProof = true
      this.deps.watchdog.renewNow([this])
    }
    return true
  }

  protected prove(sentAt: Moment, leaseMs: number): void {
    this.clock.prove(sentAt, leaseMs)
    // A break may have come between the last proof and the reply that names the incarnation.
    if (this.incarnation === undefined) this.#learnIncarnation()
  }

  /** Of the store that has just proved the hold. */
  #learnIncarnation(): void {
    const { store, background } = this.deps
    const known = store.knownIncarnation(this.address)
    if (known !== undefined) {
      this.incarnation = known ?? undefined
      return
    }
    const learn = async (): Promise<void> => {
      this.incarnation = await provenIncarnation(store, this.address)
    }
    background.run(learn())
  }
}

/** What an acquisition hands over when it got the lock. */
export interface Grant extends FirstProof {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly fencingToken: number
  /** A request of this owner may still be on its way. */
  readonly inDoubt: boolean
  /** Whether no connection broke since the store said so; otherwise the store there now may not know the hold. */
  readonly isProven: boolean
}

/** How the entries of a hold count at the store. */
export interface Counting {
  /** Whether the store counts each entry; otherwise a hold that lasts long enough is entered without a command. */
  readonly countsEntries: boolean
  /** What the store is to count for these leases. */
  valueOf(leases: LeaseSet): number
  /** What it is a hold of once only so much is left of it; the same target if that changes nothing. */
  left(target: Target, value: number): Target
}

/** A lock: the store counts how often its owner has entered. */
const countedEntries: Counting = {
  countsEntries: true,
  valueOf: ({ count }) => count,
  left: (target) => target,
}

/** What several owners hold at once: the hold has the permits that its leases need, and never gets more. */
const sharedPermits: Counting = {
  countsEntries: false,
  valueOf: ({ needs }) => needs,
  left(target, permits) {
    if (permits === 0 || permits === target.permits) return target
    return { ...target, kind: target.kind === 'write-lock' ? 'read-lock' : target.kind, permits }
  },
}

const countingOf = ({ kind }: Pick<Target, 'kind'>): Counting =>
  kind === 'lock' ? countedEntries : sharedPermits

/** A renewal of one hold that is sent now, by the watchdog, by `extend()` or by a multi lock. Several holds may share a command. */
export interface Extension {
  readonly sentAt: Moment
  readonly renewal: Renewal
  /** Takes the reply. Throws `LockLostError` when the hold is lost, `UnavailableError` when that is not known. */
  settle(reply: RenewalReply | undefined): void
}

/** Sends it for a caller. Rejects with `LockLostError` when the hold is lost. */
export async function sendExtension(
  steps: LockSteps,
  extension: Extension,
  timeoutMs: number,
  details: ErrorSubject,
): Promise<void> {
  const [reply] = await steps.renew([extension.renewal], timeoutMs).catch((error: unknown) => {
    throw toHoldfastError(error, details)
  })
  extension.settle(reply)
}

/**
 * The incarnation of the store that proved a hold just now; `undefined` if a connection broke before the store said which one
 * it is, or if it did not say. A release in doubt then counts as a loss.
 */
async function provenIncarnation(store: StoreFacts, address: Address): Promise<string | undefined> {
  const epoch = store.connectionEpoch
  try {
    const incarnation = await store.incarnation(address)
    return epoch === store.connectionEpoch ? incarnation : undefined
  } catch {
    return undefined
  }
}
