import type { Renewable, RenewalOutcome } from '@holdfast/watchdog'
import {
  titleOf,
  type RenewalReply,
  type Address,
  type ObjectKind,
  type Renewal,
  type Target,
} from '../engine/requests.js'
import {
  InvalidArgumentError,
  notALock,
  toHoldfastError,
  UnavailableError,
  type ErrorSubject,
  type LockLostError,
  type LossReason,
} from '../errors/errors.js'
import { unconfirmedText, type ReportedHold } from '../events/observer.js'
import type { Request } from '../options/options.js'
import { LeaseEntry, type Possession, type Voter } from '../ownership/possession.js'
import type { Turns } from '../ownership/turns.js'
import type { StoreClient } from '../store-client.js'
import { LeaseClock, momentNow, monotonicMs, type FirstProof, type Moment } from '../time/time.js'
import { SerialQueue, type SerialSlot } from '../util/lists.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { enterUntilAnswered, LeaseSet } from './lease-set.js'
import { lossForCaller, lossOf, upgradeRefused } from './loss.js'
import { sendRelease, type PendingRelease, type ReleaseOutcome } from './release.js'

export interface Acquired {
  readonly hold: Hold
  readonly entry: LeaseEntry
}

/** An entry that is being left, if it is not only some permits, and its turn. */
interface Leaving {
  readonly left: LeaseEntry | null
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
export class Hold implements Possession, Renewable, ReportedHold {
  readonly n: number
  readonly owner: string
  bodies: Turns | undefined
  readonly #store: StoreClient
  readonly #leases: LeaseSet
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #target: Target
  #token: number
  /** The lock is to stay held until then, however early it is released. */
  #keepUntil = -Infinity
  /** By whom, if it is handed over. */
  #heir: string | undefined
  readonly #clock: LeaseClock
  readonly #inDoubt: boolean
  readonly #isProven: boolean
  /** Of the store that proved it last, if known. */
  #incarnation: string | undefined
  #loss: LockLostError | undefined
  /** What the watchdog sent and has no reply to. */
  #sent: Extension | undefined
  #requestedProof = false
  /** When it was last said to be evicted, unless the store has denied it since. */
  #saidEvictedAt: number | undefined
  #queue: SerialQueue | undefined

  private constructor(store: StoreClient, grant: Grant, maxHoldMs: number) {
    this.#store = store
    this.#target = grant.target
    this.n = grant.n
    this.owner = grant.owner
    this.#token = grant.fencingToken
    this.#clock = new LeaseClock(grant, store.settings.marginMs, monotonicMs())
    this.#leases = new LeaseSet(grant.grantedAt + maxHoldMs)
    this.#inDoubt = grant.inDoubt
    this.#isProven = grant.isProven
    this.#learnIncarnation()
    store.holds.add(this)
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

  get group(): string {
    return this.address.group
  }

  /** Until then the hold may be claimed, unless it is renewed. The store may keep it past the limit of a nested lease. */
  get deadlineAt(): number {
    return Math.min(this.#clock.deadlineAt, this.#leases.limitAt, this.#sessionEndsAt)
  }

  /** With an engine whose holds end with it. Not copied: it moves on without a word. */
  get #sessionEndsAt(): number {
    return this.#store.facts.aliveUntil ?? Infinity
  }

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
    return this.#countsEntries ? this.#leases.count : this.#leases.needs
  }

  /** A lock: the store counts how often its owner has entered. Anything else has the permits that its leases need, and never gets more. */
  get #countsEntries(): boolean {
    return this.#target.kind === 'lock'
  }

  /** 0 while it has none. */
  get fencingToken(): number {
    return this.#token
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

  /** The loss, if there is one. Reading it past the deadline detects a loss that no timer has reported yet, as after an event-loop stall. */
  get loss(): LockLostError | undefined {
    this.endIfDue()
    return this.#loss
  }

  endIfDue(): void {
    if (this.#state === 'live' && monotonicMs() >= this.deadlineAt) this.lose('expired')
  }

  /** Whether this process may claim the lock at this very moment. */
  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && !this.#sleptSinceProven()
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.deadlineAt - monotonicMs())) : 0
  }

  get leaseLeft(): number {
    return this.#clock.shareLeft(monotonicMs())
  }

  /** Read by the watchdog: a hold is renewed while an open lease wants it, until its limit stops it. */
  get renewEveryMs(): number | null {
    if (this.#clock.reaches(this.#leases.limitAt)) return null
    return this.#leases.isRenewed ? this.#store.settings.renewEveryMs : null
  }

  /** What extends the hold if it is sent at once. */
  extension(wantedMs: number, sentAt: Moment = momentNow()): Extension {
    const leaseMs = this.#sending(wantedMs)
    const { address, owner } = this
    return {
      sentAt,
      renewal: { address, owner, leaseMs },
      settle: (reply) => {
        if (reply === 'no-reply') {
          throw new UnavailableError(
            `${titleOf(this.#target)} was not extended in time: the store is busy with it; the lease of ${owner} stays as it was`,
            { lockName: address.name, owner },
          )
        }
        // A release may have overtaken it.
        const isLive = this.#state === 'live'
        if (isLive && reply !== 'renewed') this.lose('not-held')
        this.#assertNotLost()
        if (!isLive) return
        this.#prove(sentAt, leaseMs)
        this.#store.watchdog.reschedule(this)
      },
    }
  }

  /** What the watchdog sends for it now. Where nothing renews it, it only needs proof that it is still held. */
  nextRenewal(sentAt: Moment): Renewal {
    const isRenewed = this.renewEveryMs !== null
    const wantedMs = isRenewed ? this.#store.settings.watchdogTimeoutMs : this.#clock.provingMs(monotonicMs())
    this.#sent = this.extension(wantedMs, sentAt)
    return this.#sent.renewal
  }

  /** Someone says that it was evicted: the store tells, at once. */
  checkEviction(): void {
    if (this.#state !== 'live') return
    this.#saidEvictedAt = monotonicMs()
    this.#store.watchdog.renewNow([this])
  }

  settle(outcome: RenewalOutcome): void {
    const sent = this.#sent
    this.#sent = undefined
    this.#requestedProof = false
    if (outcome === 'lost') this.lose('not-held')
    if (outcome !== 'renewed' || this.#state !== 'live' || !sent) return
    const { sentAt, renewal } = sent
    if ((this.#saidEvictedAt ?? Infinity) <= sentAt.monotonicMs) this.#saidEvictedAt = undefined
    this.#prove(sentAt, renewal.leaseMs)
    const { reports } = this.#store
    reports.renewed(this)
    for (const { voter } of this.#leases.all) voter?.renewed()
    for (const lease of this.#leases.dropped()) reports.dropped(this, lease)
  }

  expire(): void {
    this.lose('expired')
  }

  /**
   * Ends the hold for its holder: signals abort, the loss is reported. Does nothing when it is over already.
   *
   * @param reason - `expired` becomes `ended` for a hold that was not to be renewed any more
   * @param taken - the loss of another lock that takes this one along
   */
  lose(reason: Exclude<LossReason, 'suspended'>, taken?: Error): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const { limitAt, isRenewed } = this.#leases
    const isAtLimit = this.#clock.reaches(limitAt)
    const hasSessionEnded = this.#sessionEndsAt < Math.min(this.#clock.deadlineAt, limitAt)
    const isDue = !hasSessionEnded && (isAtLimit || !isRenewed)
    let why = reason
    if (reason === 'not-held' && this.#saidEvictedAt !== undefined) why = 'revoked'
    else if (reason === 'expired' && isDue) why = 'ended'
    const by = why === 'revoked' ? this.#store.evictions.take(this.owner) : undefined
    const hasExpired = why === 'expired' && !hasSessionEnded
    const cause = taken ?? (hasExpired ? this.#store.renewalFailureSince(this.#clock.provenAt) : undefined)
    const error = lossOf(this.#target, this.owner, why, { isAtLimit, hasSessionEnded, cause, by })
    this.#loss = error
    this.#store.watchdog.delete(this)
    this.#store.holds.remove(this, why === 'ended' ? 'ended' : 'lost')
    this.#leases.abortAll(error)
    this.bodies?.letAllIn()
    this.#store.reports.lost(this, error)
    // Unless the store itself said otherwise, it may still count us as the holder: free the lock as soon as the store can be
    // reached. Notice of an eviction may be older than this hold, if its owner has acquired the lock again since.
    if (reason !== 'not-held' || this.#inDoubt) this.#abandon()
  }

  #sending(wantedMs: number): number {
    return this.#clock.sending(wantedMs, this.#leases.limitAt, monotonicMs())
  }

  #assertNotLost(): void {
    const { loss } = this
    if (loss) throw lossForCaller(loss)
  }

  get #details(): ErrorSubject {
    return { lockName: this.address.name, owner: this.owner, title: titleOf(this.#target) }
  }

  /** Has the store drop the hold as soon as it can be reached; its TTL may outlive what this process believed. */
  #abandon(): void {
    const mayLastMs = this.#clock.mayLastMs(monotonicMs())
    const { address, owner } = this
    const title = titleOf(this.#target)
    const [inDoubt, keepUntil, heir] = [this.#inDoubt, this.#keepUntil, this.#heir]
    this.#store.abandonment.abandon({ address, title, owner, inDoubt, leaseMs: mayLastMs, keepUntil, heir })
  }

  /** After a suspend the hold is unknown until a renewal, requested here, proves it. */
  #sleptSinceProven(): boolean {
    if (!this.#clock.hasSlept) return false
    if (!this.#requestedProof) {
      this.#requestedProof = true
      this.#store.watchdog.renewNow([this])
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
    const { facts, background } = this.#store
    const known = facts.knownIncarnation(this.address)
    if (known === undefined) background.run(this.#requestIncarnation())
    else this.#incarnation = known ?? undefined
  }

  /** It stays unknown if a connection broke before the store said which one it is. A release in doubt then counts as a loss. */
  async #requestIncarnation(): Promise<void> {
    const { facts } = this.#store
    const epoch = facts.connectionEpoch
    const incarnation = await facts.incarnation(this.address).catch(() => undefined)
    if (epoch === facts.connectionEpoch) this.#incarnation = incarnation
  }

  /** Made when first needed: most of the time a hold only is there. */
  get #commands(): SerialQueue {
    return (this.#queue ??= new SerialQueue())
  }

  /** A hold with its first entry, which the acquisition has counted at the store already. @param voter - if it is for the vote of a quorum */
  static open(
    store: StoreClient,
    grant: Grant,
    request: Request,
    waitedMs: number,
    voter: Voter | undefined,
  ): Acquired {
    const hold = new Hold(store, grant, request.maxHoldMs)
    return { hold, entry: hold.#begin(request, waitedMs, voter) }
  }

  #begin(request: Request, waitedMs: number, voter: Voter | undefined): LeaseEntry {
    const entry = this.#enter(this.#target, request, waitedMs, this.#clock.grantedAt, voter)
    if (this.#state !== 'live') return entry
    this.#store.watchdog.add(this, this.#clock.grantedAt)
    if (!this.#isProven) this.#store.watchdog.renewNow([this])
    return entry
  }

  /** Enters once more. `null` when the hold was released before its turn came: then the caller needs a hold of its own. */
  enter(target: Target, request: Request, wantsToken: boolean): Promise<LeaseEntry | null> {
    const startedAt = monotonicMs()
    const attempt = (timeoutMs: number) => this.#enterOnce(target, request, wantsToken, timeoutMs)
    return this.#commands.run(async () => {
      const { reports } = this.#store
      const hasEntered = await enterUntilAnswered(attempt, request, startedAt, reports, this.#details)
      if (!hasEntered) return null
      const now = monotonicMs()
      return this.#enter(target, request, now - startedAt, now)
    })
  }

  /**
   * Leaves one entry; the last one releases the object. Resolves when the store has replied, and after `commandTimeoutMs` at
   * the latest: what got no reply is repeated in the background until the deadline. Rejects with `LockLostError` when the hold
   * was lost before.
   */
  leave(entry: LeaseEntry): Promise<void> {
    return this.#giveBack(entry)
  }

  handOver(entry: LeaseEntry, heir: string, withinMs: number): Promise<void> {
    this.#assertHandsOver(entry)
    return this.#handOver(entry, heir, withinMs)
  }

  async #handOver(entry: LeaseEntry, heir: string, withinMs: number): Promise<void> {
    const { commandTimeoutMs } = this.#store.settings
    const slot = this.#commands.next()
    // An inner lease may still be on its way out.
    if (slot.ready && (await withTimeout(slot.ready, commandTimeoutMs)) === timedOut) {
      slot.done()
      entry.stay()
      throw this.#notHandedOver('an earlier command has had no reply. This lease is still open')
    }
    try {
      this.#assertNotLost()
      this.#assertHandsOver(entry)
      this.#keepUntil = monotonicMs() + withinMs
      this.#heir = heir
      this.#leases.delete(entry)
      const release = this.#beginLeaving()
      release.until = Math.min(release.until, release.keepUntil)
      const outcome = await this.#send(release, commandTimeoutMs)
      this.#onLeft(entry, 0, outcome)
      if (outcome !== 'unanswered') return
    } finally {
      this.#endTurn(slot)
    }
    throw this.#notHandedOver(
      `no reply in time. It is released in the background, and may stay held for ${withinMs} ms`,
    )
  }

  #assertHandsOver(entry: LeaseEntry): void {
    const { address, owner } = this
    let why: string
    if (this.bodies?.isIdle === false) why = 'a callback runs in its hold. Acquire it by lock() or tryLock()'
    else if (this.#leases.count > 1) why = 'its hold has another lease. Release that first'
    else if (this.#keepUntil > monotonicMs()) why = 'it has atLeastMs. Pass that to takeOver'
    else return
    entry.stay()
    throw new InvalidArgumentError(`lock ${address.name} cannot be handed over: ${why}`, {
      lockName: address.name,
      owner,
    })
  }

  #notHandedOver(why: string): UnavailableError {
    const { address, owner } = this
    return new UnavailableError(`lock ${address.name} was not handed over: ${why}`, {
      lockName: address.name,
      owner,
    })
  }

  /** Gives back what open leases no longer need. Settles as `leave`. */
  lower(): Promise<void> {
    return this.#giveBack(null)
  }

  /** @param left - the entry that is left, if any */
  #giveBack(left: LeaseEntry | null): Promise<void> {
    const leaving = { left, wasLost: this.loss !== undefined, slot: this.#commands.next() }
    const { commandTimeoutMs } = this.#store.settings
    return leaving.slot.ready
      ? this.#leaveAfter(leaving.slot.ready, leaving, commandTimeoutMs)
      : this.#leaveNow(leaving, commandTimeoutMs)
  }

  /** The caller waits for `waitMs` at most, the commands before this one included. */
  async #leaveAfter(ready: Promise<void>, leaving: Leaving, waitMs: number): Promise<void> {
    const startedAt = monotonicMs()
    if ((await withTimeout(ready, waitMs)) !== timedOut) {
      await this.#leaveNow(leaving, Math.max(0, waitMs - (monotonicMs() - startedAt)))
      return
    }
    this.#store.background.run(ready.then(() => this.#leaveNow(leaving, Infinity)))
    this.#mayRelease(this.loss, leaving.wasLost)
    this.#warnUnconfirmed()
  }

  /** @param waitMs - `Infinity`: no caller waits any more */
  async #leaveNow(leaving: Leaving, waitMs: number): Promise<void> {
    const { left, wasLost, slot } = leaving
    let goesOn = false
    try {
      // Looked at first: whether it was renewed decides why it is lost.
      const { loss } = this
      if (left) this.#leases.delete(left)
      if (!this.#mayRelease(loss, wasLost)) {
        if (waitMs < Infinity) this.#warnUnconfirmed()
        return
      }
      const release = this.#beginLeaving()
      const isKept = !this.#countsEntries && release.count === this.#target.permits
      const outcome = isKept ? 'released' : await this.#send(release, waitMs)
      if (outcome === 'unanswered' && waitMs < Infinity) this.#warnUnconfirmed()
      goesOn = outcome === 'unanswered' && monotonicMs() < this.deadlineAt
      if (goesOn) this.#store.background.run(this.#leaveLate(leaving, release))
      else this.#onLeft(left, release.count, outcome)
    } finally {
      if (!goesOn) this.#endTurn(slot)
    }
  }

  /** The deadline moves on while other leases are open and renewed. */
  async #leaveLate({ left, slot }: Leaving, release: PendingRelease): Promise<void> {
    try {
      let outcome: ReleaseOutcome
      do {
        release.until = this.deadlineAt
        outcome = await sendRelease(this.#store, release, Infinity)
      } while (outcome === 'unanswered' && monotonicMs() < this.deadlineAt)
      this.#onLeft(left, release.count, outcome)
    } finally {
      this.#endTurn(slot)
    }
  }

  #warnUnconfirmed(): void {
    const { reports, settings } = this.#store
    reports.unconfirmed(unconfirmedText(this, settings.commandTimeoutMs, this.deadlineAt - monotonicMs()))
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

  /** Has an entry that no caller knows of yet begin now, with other options. Sends nothing. */
  restart(entry: LeaseEntry, request: Request): LeaseEntry {
    this.#leases.delete(entry)
    return this.#open(this.#target, request, monotonicMs())
  }

  /** A command that is answered only after the deadline is of no use, and holds up the release behind it. */
  get #commandTimeoutMs(): number {
    const leftMs = Math.ceil(this.deadlineAt - monotonicMs())
    return Math.max(1, Math.min(this.#store.settings.commandTimeoutMs, leftMs))
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
    const wantedMs = Math.min(request.leaseMs ?? this.#store.settings.watchdogTimeoutMs, request.maxHoldMs)
    if (this.#countsEntries) {
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
    return this.#clock.reaches(Math.min(monotonicMs() + wantedMs, this.#leases.limitAt))
  }

  async #sendExtension(wantedMs: number, timeoutMs: number): Promise<void> {
    const extension = this.extension(wantedMs)
    const { steps } = this.#store
    const [reply] = await steps.renew([extension.renewal], timeoutMs).catch((error: unknown) => {
      throw toHoldfastError(error, this.#details)
    })
    extension.settle(reply)
  }

  async #countEntry(wantedMs: number, wantsToken: boolean, timeoutMs: number): Promise<void> {
    const sentAt = momentNow()
    const leaseMs = this.#sending(wantedMs)
    const { address, owner } = this
    const count = this.#leases.count + 1
    const isTokenWanted = wantsToken && this.#token === 0
    const request = { owner, count, leaseMs, entryTtlMs: 0, grantLeaseMs: leaseMs, proof: '' }
    const reply = await this.#store.steps.acquire(
      address,
      { ...request, wantsToken: isTokenWanted },
      timeoutMs,
    )
    if (reply.kind === 'not-a-lock') throw notALock(address, reply)
    if (reply.kind === 'held') this.#token ||= reply.token
    else this.lose('not-held')
    this.#assertNotLost()
    this.#prove(sentAt, leaseMs)
  }

  /** Not when it was held to the end; only a command that got no reply kept the release from being sent. */
  #mayRelease(loss: LockLostError | undefined, wasLost: boolean): boolean {
    if (!loss) return true
    const isOverdue = loss.reason === 'expired' || loss.reason === 'ended'
    if (isOverdue && !wasLost) return false
    throw lossForCaller(loss)
  }

  #beginLeaving(): PendingRelease {
    const { watchdog, abandonment } = this.#store
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
    const unsent = { failures: 0, wasDenied: false, keepUntil: this.#keepUntil, heir: this.#heir }
    return { address, title, owner, count, tombstoneMs, until, incarnation: this.#incarnation, ...unsent }
  }

  #send(release: PendingRelease, waitMs: number): Promise<ReleaseOutcome> {
    const { channels } = this.#store
    if (!channels?.wantsReleases || release.count > 0) return sendRelease(this.#store, release, waitMs)
    return channels.release(this, () => sendRelease(this.#store, release, waitMs), toPublished)
  }

  #onLeft(left: LeaseEntry | null, count: number, outcome: ReleaseOutcome): void {
    const { reports } = this.#store
    if (outcome === 'not-held') this.lose('not-held')
    this.#assertNotLost()
    const isConfirmed = outcome !== 'unanswered'
    if (!isConfirmed) this.#abandon()
    this.#endLeaving()
    reports.released(this, left?.kind ?? this.kind, isConfirmed)
    if (this.#countsEntries || count === 0 || count === this.#target.permits) return
    const { kind } = this
    this.#target = { ...this.#target, kind: kind === 'write-lock' ? 'read-lock' : kind, permits: count }
    if (this.kind !== kind) reports.downgraded(this)
  }

  #endLeaving(): void {
    if (this.#state !== 'leaving') return
    this.#state = 'released'
    this.#store.holds.remove(this, 'released')
  }

  #open(
    target: Target,
    { leaseMs, maxHoldMs, atLeastMs }: Request,
    enteredAt: number,
    voter?: Voter,
  ): LeaseEntry {
    // From now on: the store has granted it by now, maybe only after the request was sent.
    if (atLeastMs !== undefined) this.#keepUntil = Math.max(this.#keepUntil, monotonicMs() + atLeastMs)
    const entry = new LeaseEntry(this, target, leaseMs === null, enteredAt + maxHoldMs, voter)
    this.#leases.add(entry)
    this.#store.watchdog.reschedule(this)
    return entry
  }

  #enter(target: Target, request: Request, waitedMs: number, enteredAt: number, voter?: Voter): LeaseEntry {
    const entry = this.#open(target, request, enteredAt, voter)
    this.#store.reports.acquired(this, target.kind, waitedMs)
    return entry
  }
}

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

/** A renewal of one hold that is sent now, by the watchdog, by `extend()` or by a multi lock. Several holds may share a command. */
export interface Extension {
  readonly sentAt: Moment
  readonly renewal: Renewal
  settle(reply: RenewalReply | undefined): void
}

const toPublished = (outcome: ReleaseOutcome): 'released' | 'not-held' | 'unconfirmed' =>
  outcome === 'unanswered' ? 'unconfirmed' : outcome
