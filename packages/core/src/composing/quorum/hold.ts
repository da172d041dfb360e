import type { Channels } from '../../channels/channels.js'
import type { Address } from '../../engine/requests.js'
import { LockLostError } from '../../errors/errors.js'
import type { HoldfastErrorDetails, LossReason } from '../../errors/errors.js'
import type { HoldReports, Reported } from '../../holding/hold-reports.js'
import type { HoldTable } from '../../holding/hold-table.js'
import { LeaseSet } from '../../holding/lease-set.js'
import type { LeaseHandle, LeaseMaker } from '../../holding/lease-set.js'
import { lossForCaller, lossOf } from '../../holding/loss.js'
import { enterUntilAnswered } from '../../holding/re-entry.js'
import { shortestLeaseMs } from '../../options/options.js'
import type { Request } from '../../options/options.js'
import type { Possession } from '../../ownership/possession.js'
import { titleOf } from '../../ownership/target.js'
import type { ObjectKind, Target } from '../../ownership/target.js'
import type { Turns } from '../../ownership/turns.js'
import { toHoldfastError } from '../../errors/store-errors.js'
import { monotonicMs } from '../../util/clock.js'
import type { Ballot } from './ballot.js'
import { TooFewError } from './majority.js'
import { releaseVotes } from './release.js'
import type { QuorumRelease } from './release.js'
import { extendVotes, raiseToken } from './settling.js'
import type { Vote, VoteListener } from './vote.js'
import { limitReachedAt, voteLeaseMs } from './vote-lease.js'

/** What quorum holds need of their client. */
export interface QuorumHoldDeps<L extends LeaseHandle> {
  readonly settings: {
    readonly watchdogTimeoutMs: number
    readonly memberTimeoutMs: number
    readonly marginMs: number
  }
  readonly reports: HoldReports
  readonly holds: HoldTable<QuorumHold<L>>
  readonly channels: Channels
  readonly leaseMaker: LeaseMaker<QuorumHold<L>, L>
}

/** A majority that was acquired, and its first lease. */
export interface AcquiredMajority<L extends LeaseHandle> {
  readonly hold: QuorumHold<L>
  readonly lease: L
}

/** A majority, as it is handed over by the acquisition that got it. */
export interface QuorumGrant {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly ballot: Ballot
  /** 0 for none. */
  readonly fencingToken: number
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
export class QuorumHold<L extends LeaseHandle = LeaseHandle>
  implements Possession<L>, VoteListener, Reported
{
  readonly n: number
  readonly owner: string
  /** What its masters count it for. */
  readonly value = 1
  bodies: Turns | undefined
  readonly target: Target
  /** Since when it is handed out. */
  readonly heldSince = monotonicMs()
  readonly #ballot: Ballot
  readonly #deps: QuorumHoldDeps<L>
  readonly #leases: LeaseSet
  readonly #limitReachedAt: number
  #fencingToken: number
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  #renewedUntil: number

  /** A hold with its first lease. */
  static open<L extends LeaseHandle>(
    deps: QuorumHoldDeps<L>,
    grant: QuorumGrant,
    request: Request,
    waitedMs: number,
  ): AcquiredMajority<L> {
    const hold = new QuorumHold(deps, grant, request)
    return { hold, lease: hold.#addLease(hold.target, request, waitedMs) }
  }

  private constructor(deps: QuorumHoldDeps<L>, grant: QuorumGrant, request: Request) {
    this.#deps = deps
    this.target = grant.target
    this.n = grant.n
    this.owner = grant.owner
    this.#ballot = grant.ballot
    this.#fencingToken = grant.fencingToken
    this.#leases = new LeaseSet(monotonicMs() + request.maxHoldMs)
    const { deadlineAt } = this.#ballot
    this.#renewedUntil = deadlineAt
    this.#limitReachedAt = limitReachedAt(request, this.#leases.limitAt, deadlineAt, deps.settings)
    grant.ballot.listener = this
    deps.holds.add(this)
  }

  get address(): Address {
    return this.target.address
  }

  get kind(): ObjectKind {
    return this.target.kind
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
    if (this.#state === 'live' && !this.#ballot.isMajority) this.lose(this.#reason())
    return this.#loss
  }

  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && this.#ballot.isHeld
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.#ballot.deadlineAt - monotonicMs())) : 0
  }

  /** Read by the votes: whether the watchdog is to renew them. */
  get isRenewed(): boolean {
    return this.#leases.isRenewed
  }

  /** Read by the votes: until when they may last. */
  get limitAt(): number {
    return this.#leases.limitAt
  }

  async enter(target: Target, request: Request, wantsToken: boolean): Promise<L | null> {
    const startedAt = monotonicMs()
    const suit = (): Promise<boolean> => this.#suit(request, wantsToken)
    const entered = await enterUntilAnswered(suit, request, startedAt, this.#deps.reports, this.#details)
    // Its last lease may have been left while the answer was on its way to here.
    return entered && this.#mayEnter() ? this.#addLease(target, request, monotonicMs() - startedAt) : null
  }

  async leave(lease: L): Promise<void> {
    const { loss, isRenewed } = this
    this.#leases.delete(lease.entry)
    if (loss) throw lossForCaller(loss)
    if (this.#leases.count > 0) {
      this.#reschedule()
      this.#deps.reports.released(this, this.kind, true)
      return
    }
    this.#state = 'leaving'
    this.bodies?.letAllIn()
    const missing = this.#ballot.all.length - this.#ballot.given.length
    const { channels, settings } = this.#deps
    const release = (): Promise<QuorumRelease> => releaseVotes(this.#ballot, settings.memberTimeoutMs)
    const outcome = await channels.release(this, release, (reply) => reply)
    if (outcome === 'not-held' && this.#isLeaving)
      this.lose(missing > 0 ? this.#reason('ended', isRenewed) : 'minority')
    this.#assertNotLost()
    const isConfirmed = outcome === 'released'
    if (!isConfirmed) this.#deps.reports.unconfirmed(unconfirmedText(this))
    this.#state = 'released'
    this.#deps.holds.remove(this, 'released')
    this.#deps.reports.released(this, this.kind, isConfirmed)
  }

  async extend(leaseMs: number): Promise<void> {
    this.#assertNotLost()
    await this.#onMajority(extendVotes(this.#ballot, leaseMs))
    this.#assertNotLost()
  }

  /** Requests masters that are missing, so that the next one to fail does not end the hold. */
  repair(): void {
    if (this.#state !== 'live' || this.loss) return
    const { settings } = this.#deps
    if (this.#fencingToken > 0) for (const vote of this.#ballot.given) vote.keepToken(this.#fencingToken)
    const now = monotonicMs()
    const leftMs = Math.floor(this.#ballot.deadlineAt - now)
    if (leftMs < shortestLeaseMs) return
    const mayLastMs = Math.floor(this.limitAt - now)
    const leaseMs = this.isRenewed ? voteLeaseMs({ leaseMs: null, maxHoldMs: mayLastMs }, settings) : leftMs
    for (const vote of this.#ballot.all) {
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
    if (!this.#ballot.isMajority) this.lose(this.#reason(vote.lossReason))
    else if (this.#fencingToken > 0) vote.keepToken(this.#fencingToken)
  }

  renewed(): void {
    const { deadlineAt } = this.#ballot
    if (this.#state !== 'live' || deadlineAt <= this.#renewedUntil) return
    this.#renewedUntil = deadlineAt
    const { reports } = this.#deps
    reports.renewed(this)
    for (const lease of this.#leases.dropped()) reports.dropped(this, lease)
  }

  /** @param cause - the loss of another lock that takes this one along */
  lose(reason: Exclude<LossReason, 'suspended'>, cause?: Error): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const error = lossOf(this.target, this.owner, reason, {
      isAtLimit: this.#isAtLimit,
      cause,
      by: reason === 'revoked' ? this.#ballot.takeEvictor() : undefined,
    })
    this.#loss = error
    for (const vote of this.#ballot.all) vote.lose()
    this.#deps.holds.remove(this, reason === 'ended' ? 'ended' : 'lost')
    this.#leases.abortAll(error)
    this.bodies?.letAllIn()
    this.#deps.reports.lost(this, error)
  }

  /** A hold that nothing renews ends by its lease; any other has lost its majority. */
  #reason(last: LossReason = 'ended', isRenewed = this.isRenewed): Exclude<LossReason, 'suspended'> {
    if (last === 'revoked' || last === 'closed') return last
    // Only votes that are no longer renewed end; those of a limit that is reached were renewed, and expire.
    const isDue = isRenewed ? this.#isAtLimit : last === 'ended'
    return isDue && (last === 'ended' || last === 'expired') ? 'ended' : 'minority'
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
    if (!lasts) await this.#onMajority(extendVotes(this.#ballot, wantedMs))
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
      raiseToken(this.#ballot).then((token) => {
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
    const lease = this.#deps.leaseMaker.makeLease(this, target, leaseMs, monotonicMs() + maxHoldMs)
    this.#leases.add(lease.entry)
    this.#reschedule()
    this.#deps.reports.acquired(this, this.kind, waitedMs)
    return lease
  }

  #reschedule(): void {
    for (const vote of this.#ballot.all) vote.reschedule()
  }

  #assertNotLost(): void {
    if (this.loss) throw lossForCaller(this.loss)
  }

  /** A vote may be lost, and the hold with it, while its release is awaited. */
  get #isLeaving(): boolean {
    return this.#state === 'leaving'
  }

  get #details(): HoldfastErrorDetails {
    return { lockName: this.address.name, owner: this.owner }
  }
}

/** A timer may end a hold a millisecond early. */
const timerMarginMs = 1

const unconfirmedText = ({ target, owner }: Pick<Reported, 'target' | 'owner'>): string =>
  `the release of ${titleOf(target)} by ${owner} was not acknowledged by a majority of the masters; ` +
  'it is repeated in the background, and the leases will expire on their own'
