import type { Renewable, RenewalOutcome, Watchdog } from '@holdfast/watchdog'
import type { HoldChannels } from '../channels/hold-channels.js'
import type { Address, Renewal } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import type { ErrorSubject } from '../store-errors.js'
import type { LockLostError, LossReason } from '../errors.js'
import type { Events } from '../events.js'
import type { Request } from '../options.js'
import type { Possession } from '../ownership/possession.js'
import { titleOf } from '../ownership/target.js'
import type { ObjectKind, Target } from '../ownership/target.js'
import type { Turns } from '../ownership/turns.js'
import type { Background } from '../util/background.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { SerialQueue } from '../util/serial-queue.js'
import type { SerialSlot } from '../util/serial-queue.js'
import { timedOut, withTimeout } from '../util/with-timeout.js'
import type { Abandonment } from './abandonment.js'
import { extensionOf, sendExtension } from './extension.js'
import type { Extended, Extension } from './extension.js'
import type { Grant } from './grant.js'
import {
  reportAcquired,
  reportDowngraded,
  reportDropped,
  reportLost,
  reportReleased,
  reportRenewed,
  subjectOf,
  warnUnconfirmed,
} from './hold-reports.js'
import type { Reported } from './hold-reports.js'
import type { HoldTable } from './hold-table.js'
import { provenIncarnation } from './incarnation.js'
import { LeaseClock } from './lease-clock.js'
import { LeaseSet } from './lease-set.js'
import type { LeaseHandle } from './lease-set.js'
import { lossForCaller, lossOf, upgradeRefused } from './loss.js'
import { enterUntilAnswered, sendEntry } from './re-entry.js'
import { sendRelease } from './release.js'
import type { PendingRelease, ReleaseOutcome } from './release.js'

/** What holds need of their client. */
export interface HoldDeps<L extends LeaseHandle> {
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
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners' | 'warnOnce'>
  readonly holds: Pick<HoldTable<Hold>, 'add' | 'remove'>
  readonly watchdog: Watchdog<Hold>
  readonly background: Pick<Background, 'run' | 'isEnded'>
  readonly abandonment: Pick<Abandonment, 'abandon' | 'tombstoneMs'>
  /** Who evicts this owner, if that was announced. */
  evictorOf(owner: string): string | undefined
  /** `undefined` for holds that only make up another one. */
  readonly channels: Pick<HoldChannels, 'release' | 'wantsReleases'> | undefined
  makeLease(hold: Hold<L>, target: Target, fixedLeaseMs: number | null, limitAt: number): L
}

/** A lease that is being left, if it is not only some permits, and its turn. */
interface Leaving<L> {
  readonly left: L | null
  readonly wasLost: boolean
  readonly slot: SerialSlot
}

/**
 * One owner's possession of one object.
 *
 * | State    | true in it                                             | leaves it on                                     |
 * | -------- | ------------------------------------------------------ | ------------------------------------------------ |
 * | live     | at least one lease open, deadline ahead                | last lease left → leaving; loss → lost           |
 * | leaving  | no lease open, release under way, no longer renewed;   | reply or deadline → released; "not held" → lost  |
 * |          | after `commandTimeoutMs` no caller waits for it        |                                                  |
 * | released | over                                                   | -                                                |
 * | lost     | over, and the holder was notified                      | -                                                |
 *
 * Its commands go out one after another, each with the value it wants: for a lock the number of its leases, otherwise the
 * permits that they need, which never grow. So further entries into anything but a lock mostly send nothing.
 */
export class Hold<L extends LeaseHandle = LeaseHandle>
  implements Renewable, Possession<L>, Extended, Reported
{
  readonly n: number
  readonly owner: string
  bodies: Turns | undefined
  #target: Target
  #fencingToken: number
  readonly #deps: HoldDeps<L>
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  readonly #leases = new LeaseSet()
  readonly #commands = new SerialQueue()
  readonly #clock: LeaseClock
  readonly #limitAt: number
  #renewal: { readonly sentAt: Moment; readonly leaseMs: number } | undefined
  #requestedProof = false
  /** When it was last said to be evicted, unless the store has denied it since. */
  #saidEvictedAt: number | undefined
  #inDoubt: boolean
  readonly #isProven: boolean
  #incarnation: string | undefined

  constructor(deps: HoldDeps<L>, grant: Grant, { maxHoldMs }: Request) {
    this.#deps = deps
    this.#target = grant.target
    this.n = grant.n
    this.owner = grant.owner
    this.#fencingToken = grant.fencingToken
    this.#clock = new LeaseClock(grant, deps.settings.marginMs, monotonicMs())
    this.#limitAt = grant.grantedAt + maxHoldMs
    this.#inDoubt = grant.inDoubt
    this.#isProven = grant.isProven
    this.#learnIncarnation()
    deps.holds.add(this)
  }

  get target(): Target {
    return this.#target
  }

  get address(): Address {
    return this.#target.address
  }

  /** Of the lease that needs most. */
  get kind(): ObjectKind {
    return this.#target.kind
  }

  /** Read by the watchdog. */
  get group(): string {
    return this.address.group
  }

  /** Until then the hold may be claimed, unless it is renewed. The store may keep it past the limit of a nested lease. */
  get deadlineAt(): number {
    return Math.min(this.#clock.deadlineAt, this.#nextLimitAt())
  }

  /** When it was granted. */
  get heldSince(): number {
    return this.#clock.grantedAt
  }

  get count(): number {
    return this.#leases.count
  }

  countOf(kind: ObjectKind): number {
    return this.#leases.countOf(kind)
  }

  /** What the store is to count for it. */
  get value(): number {
    return this.kind === 'lock' ? this.#leases.count : this.#leases.needs
  }

  /** 0 while it has none. */
  get fencingToken(): number {
    return this.#fencingToken
  }

  get isReleased(): boolean {
    return this.#state === 'leaving' || this.#state === 'released'
  }

  /** Whether its release is over, too. */
  get isReleasedForGood(): boolean {
    return this.#state === 'released'
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

  /** The share of its lease that is left, from 0 to 1. */
  get leaseLeft(): number {
    return this.#clock.shareLeft(monotonicMs())
  }

  /** Read by the watchdog: a hold is renewed while an open lease wants it, until its limit stops it. */
  get renewEveryMs(): number | null {
    if (this.#clock.reaches(this.#nextLimitAt())) return null
    return this.#leases.isRenewed ? this.#deps.settings.renewEveryMs : null
  }

  /** The first lease; the acquisition has counted it at the store already. */
  open(request: Request, waitedMs: number): L {
    const lease = this.#addLease(this.#target, request, waitedMs, this.#clock.grantedAt)
    if (this.#state !== 'live') return lease
    this.#deps.watchdog.add(this, this.#clock.grantedAt)
    if (!this.#isProven) this.#deps.watchdog.renewNow([this])
    return lease
  }

  /** Enters once more. `null` when the hold was released before its turn came: then the caller needs a hold of its own. */
  enter(target: Target, request: Request, wantsToken: boolean): Promise<L | null> {
    const startedAt = monotonicMs()
    const attempt = (timeoutMs: number) => this.#enterOnce(target, request, wantsToken, timeoutMs)
    return this.#commands.run(async () => {
      const { events } = this.#deps
      const hasEntered = await enterUntilAnswered(attempt, request, startedAt, events, this.#details)
      if (!hasEntered) return null
      const now = monotonicMs()
      return this.#addLease(target, request, now - startedAt, now)
    })
  }

  /**
   * Leaves one lease; the last one releases the object. Resolves when the store has replied, and after `commandTimeoutMs` at
   * the latest: what got no reply is repeated in the background until the deadline. Rejects with `LockLostError` when the hold
   * was lost before.
   */
  leave(lease: L): Promise<void> {
    return this.#giveBack(lease)
  }

  /** Gives back what open leases no longer need. Settles as `leave`. */
  lower(): Promise<void> {
    return this.#giveBack(null)
  }

  /** @param left - the lease that is left, if any */
  #giveBack(left: L | null): Promise<void> {
    const leaving = { left, wasLost: this.loss !== undefined, slot: this.#commands.next() }
    const { commandTimeoutMs } = this.#deps.settings
    return leaving.slot.ready
      ? this.#leaveAfter(leaving.slot.ready, leaving, commandTimeoutMs)
      : this.#leaveNow(leaving, commandTimeoutMs)
  }

  /** The caller waits for `waitMs` at most, the commands before this one included. */
  async #leaveAfter(ready: Promise<void>, leaving: Leaving<L>, waitMs: number): Promise<void> {
    const startedAt = monotonicMs()
    if ((await withTimeout(ready, waitMs)) !== timedOut) {
      await this.#leaveNow(leaving, Math.max(0, waitMs - (monotonicMs() - startedAt)))
      return
    }
    this.#deps.background.run(ready.then(() => this.#leaveNow(leaving, Infinity)))
    this.#mayRelease(leaving.wasLost)
    this.#warnUnconfirmed()
  }

  /** @param waitMs - `Infinity`: no caller waits any more */
  async #leaveNow(leaving: Leaving<L>, waitMs: number): Promise<void> {
    const { left, wasLost, slot } = leaving
    let goesOn = false
    try {
      if (left) this.#leases.delete(left.entry)
      if (!this.#mayRelease(wasLost)) {
        if (waitMs < Infinity) this.#warnUnconfirmed()
        return
      }
      const release = this.#beginLeaving()
      const isKept = this.kind !== 'lock' && release.count === this.#target.permits
      const outcome = isKept ? 'released' : await this.#send(release, waitMs)
      if (outcome === 'unanswered' && waitMs < Infinity) this.#warnUnconfirmed()
      goesOn = outcome === 'unanswered' && monotonicMs() < this.deadlineAt
      if (goesOn) this.#deps.background.run(this.#leaveLate(leaving, release))
      else this.#onLeft(left, release.count, outcome)
    } finally {
      if (!goesOn) this.#endTurn(slot)
    }
  }

  /** The deadline moves on while other leases are open and renewed. */
  async #leaveLate({ left, slot }: Leaving<L>, release: PendingRelease): Promise<void> {
    try {
      let outcome: ReleaseOutcome
      do {
        release.until = this.deadlineAt
        outcome = await sendRelease(this.#deps, release, Infinity)
      } while (outcome === 'unanswered' && monotonicMs() < this.deadlineAt)
      this.#onLeft(left, release.count, outcome)
    } finally {
      this.#endTurn(slot)
    }
  }

  #warnUnconfirmed(): void {
    const { events, settings } = this.#deps
    warnUnconfirmed(events, this, settings.commandTimeoutMs, this.deadlineAt - monotonicMs())
  }

  #endTurn(slot: SerialSlot): void {
    this.#endLeaving()
    slot.done()
  }

  /** Extends a fixed lease; a later deadline stays, the limit of the hold still applies. */
  extend(leaseMs: number): Promise<void> {
    return this.#commands.run(async () => {
      this.#assertNotLost()
      await this.#sendExtension(leaseMs, this.#commandTimeoutMs)
    })
  }

  /** What extends the hold if it is sent at once. Several holds may share a command. */
  extension(wantedMs: number): Extension {
    return extensionOf(this, wantedMs)
  }

  /** Takes the reply to an extension. */
  onExtended(isHeld: boolean, sentAt: Moment, leaseMs: number): void {
    // A release may have overtaken it.
    const isLive = this.#state === 'live'
    if (isLive && !isHeld) this.lose('not-held')
    this.#assertNotLost()
    if (!isLive) return
    this.#prove(sentAt, leaseMs)
    this.#deps.watchdog.reschedule(this)
  }

  /** Has a lease that no caller knows of yet begin now, with other options. Sends nothing. */
  restart(lease: L, request: Request): L {
    this.#leases.delete(lease.entry)
    return this.#open(this.#target, request, monotonicMs())
  }

  /** The lease to send now. */
  sending(wantedMs: number): number {
    return this.#clock.sending(wantedMs, this.#nextLimitAt(), monotonicMs())
  }

  /** What the next renewal requests. 1 ms for a hold that only needs proof that it is still held. */
  nextRenewal(sentAt: Moment): Renewal {
    const wanted = this.renewEveryMs === null ? 1 : this.#deps.settings.watchdogTimeoutMs
    const leaseMs = this.sending(wanted)
    this.#renewal = { sentAt, leaseMs }
    return { address: this.address, owner: this.owner, leaseMs }
  }

  /** Someone says that it was evicted: the store tells, at once. */
  checkEviction(): void {
    if (this.#state !== 'live') return
    this.#saidEvictedAt = monotonicMs()
    this.#deps.watchdog.renewNow([this])
  }

  /** Called by the watchdog. */
  settle(outcome: RenewalOutcome): void {
    this.#requestedProof = false
    if (outcome === 'lost') this.lose('not-held')
    if (outcome !== 'renewed' || this.#state !== 'live' || !this.#renewal) return
    if ((this.#saidEvictedAt ?? Infinity) <= this.#renewal.sentAt.monotonicMs) this.#saidEvictedAt = undefined
    this.#prove(this.#renewal.sentAt, this.#renewal.leaseMs)
    reportRenewed(this.#deps.events, this)
    for (const lease of this.#leases.dropped()) reportDropped(this.#deps.events, subjectOf(this), lease)
  }

  /** Called by the watchdog when the deadline has passed. */
  expire(): void {
    this.lose('expired')
  }

  /**
   * Ends the hold for its holder: signals abort, the loss is reported. Does nothing when it is over already.
   *
   * @param cause - the loss of another hold that takes this one along
   */
  lose(reason: Exclude<LossReason, 'suspended'>, cause?: LockLostError): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const isAtLimit = this.#clock.reaches(this.#nextLimitAt())
    const why = reason === 'not-held' && this.#saidEvictedAt !== undefined ? 'revoked' : reason
    const by = why === 'revoked' ? this.#deps.evictorOf(this.owner) : undefined
    const { isRenewed } = this.#leases
    const error = lossOf(this.#target, this.owner, why, { isRenewed, isAtLimit, cause, by })
    this.#loss = error
    this.#deps.watchdog.delete(this)
    this.#deps.holds.remove(this, 'lost')
    this.#leases.abortAll(error)
    this.bodies?.letAllIn()
    reportLost(this.#deps.events, this, error)
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

  /** What errors say of it. */
  get #details(): ErrorSubject {
    return { lockName: this.address.name, owner: this.owner, title: titleOf(this.#target) }
  }

  /** Whether it was entered; not so when it was released before. */
  async #enterOnce(
    target: Target,
    request: Request,
    wantsToken: boolean,
    waitLeftMs: number,
  ): Promise<boolean> {
    this.#assertNotLost()
    if (this.isReleased) return false
    const timeoutMs = Math.ceil(Math.min(this.#commandTimeoutMs, waitLeftMs))
    const wantedMs = Math.min(request.leaseMs ?? this.#deps.settings.watchdogTimeoutMs, request.maxHoldMs)
    if (target.kind === 'lock') {
      await this.#countEntry(wantedMs, wantsToken, timeoutMs)
      return true
    }
    if (target.permits > this.value) throw upgradeRefused(target, this.owner)
    if (!this.isHeld || !this.#lasts(request, wantedMs)) await this.#sendExtension(wantedMs, timeoutMs)
    return true
  }

  /** Whether the store keeps the hold long enough for one more lease without a command. */
  #lasts({ leaseMs }: Request, wantedMs: number): boolean {
    if (leaseMs === null && this.#leases.isRenewed) return true
    return this.#clock.reaches(Math.min(monotonicMs() + wantedMs, this.#nextLimitAt()))
  }

  #sendExtension(wantedMs: number, timeoutMs: number): Promise<void> {
    return sendExtension(this.#deps.session, this.extension(wantedMs), timeoutMs, this.#details)
  }

  async #countEntry(wantedMs: number, wantsToken: boolean, timeoutMs: number): Promise<void> {
    const sentAt = momentNow()
    const leaseMs = this.sending(wantedMs)
    const { address, owner } = this
    const entry = {
      owner,
      count: this.#leases.count + 1,
      leaseMs,
      wantsToken: wantsToken && this.#fencingToken === 0,
    }
    const token = await sendEntry(this.#deps.session, address, entry, timeoutMs)
    if (token === null) this.lose('not-held')
    else this.#fencingToken ||= token
    this.#assertNotLost()
    this.#prove(sentAt, leaseMs)
  }

  /** Not when it was held to the end; only a command that got no reply kept the release from being sent. */
  #mayRelease(wasLost: boolean): boolean {
    if (this.loss?.reason === 'expired' && !wasLost) return false
    this.#assertNotLost()
    return true
  }

  #beginLeaving(): PendingRelease {
    const { watchdog, abandonment } = this.#deps
    const count = this.value
    if (count === 0) {
      this.#state = 'leaving'
      watchdog.delete(this)
      this.bodies?.letAllIn()
    } else {
      watchdog.reschedule(this)
    }
    const tombstoneMs = count === 0 && this.#inDoubt ? abandonment.tombstoneMs(this.#clock.leaseMs) : 0
    const { address, owner, deadlineAt: until } = this
    const title = titleOf(this.#target)
    const unsent = { failures: 0, wasDenied: false }
    return { address, title, owner, count, tombstoneMs, until, incarnation: this.#incarnation, ...unsent }
  }

  #send(release: PendingRelease, waitMs: number): Promise<ReleaseOutcome> {
    const { channels } = this.#deps
    if (!channels?.wantsReleases || release.count > 0) return sendRelease(this.#deps, release, waitMs)
    return channels.release(this, () => sendRelease(this.#deps, release, waitMs), toPublished)
  }

  #onLeft(left: L | null, count: number, outcome: ReleaseOutcome): void {
    const { events } = this.#deps
    if (outcome === 'not-held') this.lose('not-held')
    this.#assertNotLost()
    const isConfirmed = outcome !== 'unanswered'
    if (!isConfirmed) this.#abandon()
    this.#endLeaving()
    reportReleased(events, this, left?.entry.kind ?? this.kind, isConfirmed)
    if (this.kind === 'lock' || count === 0 || count === this.#target.permits) return
    const isDowngrade = this.kind === 'write-lock'
    this.#target = { ...this.#target, kind: isDowngrade ? 'read-lock' : this.kind, permits: count }
    if (isDowngrade) reportDowngraded(events, this)
  }

  #endLeaving(): void {
    if (this.#state !== 'leaving') return
    this.#state = 'released'
    this.#deps.holds.remove(this, 'released')
  }

  #open(target: Target, { leaseMs, maxHoldMs }: Request, enteredAt: number): L {
    const lease = this.#deps.makeLease(this, target, leaseMs, enteredAt + maxHoldMs)
    this.#leases.add(lease.entry)
    this.#deps.watchdog.reschedule(this)
    return lease
  }

  #addLease(target: Target, request: Request, waitedMs: number, enteredAt: number): L {
    const lease = this.#open(target, request, enteredAt)
    reportAcquired(this.#deps.events, this, target.kind, waitedMs)
    return lease
  }

  #nextLimitAt(): number {
    return this.#leases.nextLimitAt(this.#limitAt)
  }

  /** Has the store drop the hold as soon as it can be reached; its TTL may outlive what this process believed. */
  #abandon(): void {
    const mayLastMs = this.#clock.mayLastMs(monotonicMs())
    const { address, owner } = this
    const title = titleOf(this.#target)
    this.#deps.abandonment.abandon({ address, title, owner, inDoubt: this.#inDoubt, leaseMs: mayLastMs })
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

  #prove(sentAt: Moment, leaseMs: number): void {
    this.#clock.prove(sentAt, leaseMs)
    // A break may have come between the last proof and the reply that names the incarnation.
    if (this.#incarnation === undefined) this.#learnIncarnation()
  }

  /** Of the store that has just proved the hold. */
  #learnIncarnation(): void {
    const { session, background } = this.#deps
    const known = session.knownIncarnation(this.address)
    if (known !== undefined) {
      this.#incarnation = known ?? undefined
      return
    }
    const learn = async (): Promise<void> => {
      this.#incarnation = await provenIncarnation(session, this.address)
    }
    background.run(learn())
  }
}

const toPublished = (outcome: ReleaseOutcome): 'released' | 'not-held' | 'unconfirmed' =>
  outcome === 'unanswered' ? 'unconfirmed' : outcome
