import type { HoldChannels } from '../../channels/hold-channels.js'
import type { Address } from '../../engine/requests.js'
import { LockLostError } from '../../errors.js'
import type { HoldfastErrorDetails, LossReason } from '../../errors.js'
import type { Events, LockEvent } from '../../events.js'
import { reportDropped } from '../../holding/hold-reports.js'
import type { HoldTable } from '../../holding/hold-table.js'
import { LeaseSet } from '../../holding/lease-set.js'
import type { LeaseHandle } from '../../holding/lease-set.js'
import { lossForCaller, lossOf } from '../../holding/loss.js'
import { enterUntilAnswered } from '../../holding/re-entry.js'
import { shortestLeaseMs } from '../../options.js'
import type { Request } from '../../options.js'
import type { Possession } from '../../ownership/possession.js'
import { titleOf } from '../../ownership/target.js'
import type { ObjectKind, Target } from '../../ownership/target.js'
import type { Turns } from '../../ownership/turns.js'
import { toHoldfastError } from '../../store-errors.js'
import { monotonicMs } from '../../util/clock.js'
import type { QuorumGrant } from './acquisition-deps.js'
import type { VoteKeeper } from './vote-keeper.js'
import { TooFewError } from './majority.js'
import { releaseVotes } from './release.js'
import type { QuorumRelease } from './release.js'
import { extendVotes, raiseToken } from './settling.js'
import type { Vote } from './vote.js'
import { limitReachedAt, voteLeaseMs } from './vote-lease.js'
import type { Votes } from './votes.js'

/** What quorum holds need of their client. */
export interface QuorumHoldDeps<L extends LeaseHandle> {
  readonly settings: {
    readonly watchdogTimeoutMs: number
    readonly memberTimeoutMs: number
    readonly marginMs: number
  }
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners' | 'warnOnce'>
  readonly holds: HoldTable<QuorumHold<L>>
  readonly channels: Pick<HoldChannels, 'release'>
  makeLease(hold: QuorumHold<L>, target: Target, fixedLeaseMs: number | null, limitAt: number): L
}

/**
 * A majority of masters that count one owner as the holder.
 *
 * | State    | true in it                                              | leaves it on                                         |
 * | -------- | ------------------------------------------------------- | ---------------------------------------------------- |
 * | live     | at least one lease open, a majority of votes is live    | last lease left → leaving; no majority → lost        |
 * | leaving  | no lease open, all votes are being released             | a majority replied, or enough time → released;       |
 * |          |                                                         | a majority denied it → lost                          |
 * | released | over                                                    | -                                                    |
 * | lost     | over, and the holder was notified                       | -                                                    |
 *
 * Each vote is renewed by itself, so the deadline is that of the vote which ends the majority. Entering once more changes
 * nothing at the masters, unless the leases must grow.
 */
export class QuorumHold<L extends LeaseHandle = LeaseHandle> implements Possession<L>, VoteKeeper {
  readonly n: number
  readonly owner: string
  bodies: Turns | undefined
  readonly #target: Target
  readonly #votes: Votes
  readonly #deps: QuorumHoldDeps<L>
  readonly #leases = new LeaseSet()
  readonly #limitAt: number
  readonly #limitReachedAt: number
  #fencingToken: number
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  #renewedUntil: number

  constructor(deps: QuorumHoldDeps<L>, grant: QuorumGrant, request: Request) {
    this.#deps = deps
    this.#target = grant.target
    this.n = grant.n
    this.owner = grant.owner
    this.#votes = grant.votes
    this.#fencingToken = grant.fencingToken
    this.#limitAt = monotonicMs() + request.maxHoldMs
    const { deadlineAt } = this.#votes
    this.#renewedUntil = deadlineAt
    this.#limitReachedAt = limitReachedAt(request, this.#limitAt, deadlineAt, deps.settings)
    deps.holds.add(this)
  }

  get address(): Address {
    return this.#target.address
  }

  get kind(): ObjectKind {
    return this.#target.kind
  }

  get count(): number {
    return this.#leases.count
  }

  countOf(kind: ObjectKind): number {
    return this.#leases.countOf(kind)
  }

  get fencingToken(): number {
    return this.#fencingToken
  }

  get isReleased(): boolean {
    return this.#state === 'leaving' || this.#state === 'released'
  }

  get isOver(): boolean {
    return this.isReleased || (this.#state === 'lost' && this.#leases.count === 0)
  }

  /** Checking it past the deadline is how a holder learns of a loss after an event-loop stall. */
  get loss(): LockLostError | undefined {
    if (this.#state === 'live' && !this.#votes.isMajority) this.lose(this.#reason())
    return this.#loss
  }

  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && this.#votes.isHeld
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.#votes.deadlineAt - monotonicMs())) : 0
  }

  /** Read by the votes: whether the watchdog is to renew them. */
  get isRenewed(): boolean {
    return this.#leases.isRenewed
  }

  /** Read by the votes: until when they may last. */
  get limitAt(): number {
    return this.#leases.nextLimitAt(this.#limitAt)
  }

  /** The first lease. */
  open(request: Request, waitedMs: number): L {
    return this.#addLease(this.#target, request, waitedMs)
  }

  async enter(target: Target, request: Request, wantsToken: boolean): Promise<L | null> {
    const startedAt = monotonicMs()
    const suit = (): Promise<boolean> => this.#suit(request, wantsToken)
    const entered = await enterUntilAnswered(suit, request, startedAt, this.#deps.events, this.#details)
    return entered ? this.#addLease(target, request, monotonicMs() - startedAt) : null
  }

  async leave(lease: L): Promise<void> {
    const { loss } = this
    this.#leases.delete(lease.entry)
    if (loss) throw lossForCaller(loss)
    if (this.#leases.count > 0) {
      this.#reschedule()
      this.#reportReleased(true)
      return
    }
    this.#state = 'leaving'
    this.bodies?.letAllIn()
    const denied = this.#votes.all.length - this.#votes.given.length
    const { channels, settings } = this.#deps
    const release = (): Promise<QuorumRelease> => releaseVotes(this.#votes, settings.memberTimeoutMs)
    const outcome = await channels.release(this, release, (reply) => reply)
    if (outcome === 'not-held' && this.#isLeaving) this.lose(denied > 0 ? this.#reason() : 'minority')
    this.#assertNotLost()
    const isConfirmed = outcome === 'released'
    if (!isConfirmed) this.#warnUnconfirmed()
    this.#state = 'released'
    this.#deps.holds.remove(this, 'released')
    this.#reportReleased(isConfirmed)
  }

  async extend(leaseMs: number): Promise<void> {
    this.#assertNotLost()
    await this.#onMajority(extendVotes(this.#votes, leaseMs))
    this.#assertNotLost()
  }

  /** Requests masters that are missing, so that the next one to fail does not end the hold. */
  repair(): void {
    if (this.#state !== 'live' || this.loss) return
    const { settings } = this.#deps
    if (this.#fencingToken > 0) for (const vote of this.#votes.given) vote.keepToken(this.#fencingToken)
    const now = monotonicMs()
    const leftMs = Math.floor(this.#votes.deadlineAt - now)
    if (leftMs < shortestLeaseMs) return
    const mayLastMs = Math.floor(this.limitAt - now)
    const leaseMs = this.isRenewed ? voteLeaseMs({ leaseMs: null, maxHoldMs: mayLastMs }, settings) : leftMs
    for (const vote of this.#votes.all) {
      if (vote.state === 'yes' || vote.state === 'requested') continue
      vote.request({ waitMs: 0, leaseMs, maxHoldMs: Infinity, signal: undefined })
    }
  }

  /** A late yes came, or a vote was lost. */
  changed(vote: Vote): void {
    if (this.#state !== 'live') {
      vote.giveBack()
      return
    }
    if (!this.#votes.isMajority) this.lose(this.#reason(vote.lossReason))
    else if (this.#fencingToken > 0) vote.keepToken(this.#fencingToken)
  }

  renewed(): void {
    const { deadlineAt } = this.#votes
    if (this.#state !== 'live' || deadlineAt <= this.#renewedUntil) return
    this.#renewedUntil = deadlineAt
    const { events } = this.#deps
    if (events.hasListeners('renewed'))
      events.emit('renewed', { ...this.#subject, remainingMs: this.remainingMs() })
    for (const lease of this.#leases.dropped()) reportDropped(events, this.#subject, lease)
  }

  lose(reason: Exclude<LossReason, 'suspended'>): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const error = lossOf(this.#target, this.owner, reason, {
      isRenewed: this.isRenewed,
      isAtLimit: this.#isAtLimit,
    })
    this.#loss = error
    for (const vote of this.#votes.all) vote.lose()
    this.#deps.holds.remove(this, 'lost')
    this.#leases.abortAll(error)
    this.bodies?.letAllIn()
    this.#deps.events.emit('lost', { ...this.#subject, error })
  }

  /** A hold that nothing renews ends by its lease; any other has lost its majority. */
  #reason(last: LossReason = 'expired'): Exclude<LossReason, 'suspended'> {
    if (last === 'revoked' || last === 'closed') return last
    return last === 'expired' && (!this.isRenewed || this.#isAtLimit) ? 'expired' : 'minority'
  }

  /** Whether it ends because of its limit, or that of a nested lease. */
  get #isAtLimit(): boolean {
    return monotonicMs() >= Math.min(this.#limitReachedAt, this.limitAt) - timerMarginMs
  }

  /** Gives it the lease and the token that one more entry needs. `false` when it was released before. */
  async #suit(request: Request, wantsToken: boolean): Promise<boolean> {
    if (!this.#mayEnter()) return false
    const wantedMs = Math.min(request.leaseMs ?? this.#deps.settings.watchdogTimeoutMs, request.maxHoldMs)
    const lasts = (request.leaseMs === null && this.isRenewed) || this.remainingMs() >= wantedMs
    if (!lasts) await this.#onMajority(extendVotes(this.#votes, wantedMs))
    if (wantsToken && this.#fencingToken === 0) await this.#drawToken()
    return this.#mayEnter()
  }

  /** Not when it was released before. */
  #mayEnter(): boolean {
    this.#assertNotLost()
    return !this.isReleased
  }

  async #drawToken(): Promise<void> {
    await this.#onMajority(
      raiseToken(this.#votes).then((token) => {
        this.#fencingToken ||= token
      }),
    )
  }

  async #onMajority(step: Promise<unknown>): Promise<void> {
    try {
      await step
    } catch (thrown) {
      this.#assertNotLost()
      const errors = thrown instanceof TooFewError ? thrown.errors : [thrown]
      const error = errors.find((one) => !(one instanceof LockLostError)) ?? thrown
      throw toHoldfastError(error, this.#details)
    }
  }

  #addLease(target: Target, { leaseMs, maxHoldMs }: Request, waitedMs: number): L {
    const { events } = this.#deps
    const lease = this.#deps.makeLease(this, target, leaseMs, monotonicMs() + maxHoldMs)
    this.#leases.add(lease.entry)
    this.#reschedule()
    if (events.hasListeners('acquired')) {
      const { fencingToken, count: holdCount } = this
      events.emit('acquired', { ...this.#subject, holdCount, fencingToken, waitedMs })
    }
    return lease
  }

  #reschedule(): void {
    for (const vote of this.#votes.all) vote.reschedule()
  }

  #reportReleased(confirmed: boolean): void {
    const { events } = this.#deps
    if (!events.hasListeners('released')) return
    events.emit('released', { ...this.#subject, holdCount: this.count, confirmed })
  }

  #warnUnconfirmed(): void {
    const message =
      `the release of ${titleOf(this.#target)} by ${this.owner} was not acknowledged by a majority of the masters; ` +
      'it is repeated in the background, and the leases will expire on their own'
    this.#deps.events.emit('warning', { code: 'RELEASE_UNCONFIRMED', message })
  }

  #assertNotLost(): void {
    if (this.loss) throw lossForCaller(this.loss)
  }

  /** A vote may be lost, and the hold with it, while its release is awaited. */
  get #isLeaving(): boolean {
    return this.#state === 'leaving'
  }

  get #subject(): LockEvent {
    return { name: this.address.name, kind: this.kind, owner: this.owner }
  }

  get #details(): HoldfastErrorDetails {
    return { lockName: this.address.name, owner: this.owner }
  }
}

/** A timer may end a hold a millisecond early. */
const timerMarginMs = 1
