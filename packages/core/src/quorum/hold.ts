import { titleOf, type Address, type ObjectKind, type Target } from '../engine/requests.js'
import {
  LockLostError,
  toHoldfastError,
  type HoldfastErrorDetails,
  type LossReason,
} from '../errors/errors.js'
import type { ReportedHold } from '../events/observer.js'
import { enterUntilAnswered, LeaseSet } from '../holding/lease-set.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import type { AnyAcquired } from '../objects/entrance.js'
import { shortestLeaseMs, type Request } from '../options/options.js'
import { LeaseEntry, type Possession } from '../ownership/possession.js'
import type { Turns } from '../ownership/turns.js'
import { driftMs, monotonicMs } from '../time/time.js'
import { withTimeout } from '../util/timeouts.js'
import { majorityOf, TooFewError, type Ballot, type Vote, type VoteListener } from './ballot.js'
import type { QuorumClient } from './client.js'
import type { QuorumSettings } from './options.js'

export interface QuorumGrant {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly ballot: Ballot
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
export class QuorumHold implements Possession, VoteListener, ReportedHold {
  readonly n: number
  readonly owner: string
  /** What its masters count it for. */
  readonly value = 1
  bodies: Turns | undefined
  readonly target: Target
  /** Since when it is handed out. */
  readonly heldSince = monotonicMs()
  readonly #ballot: Ballot
  readonly #client: QuorumClient
  readonly #leases: LeaseSet
  readonly #limitReachedAt: number
  #fencingToken: number
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  #renewedUntil: number

  static open(client: QuorumClient, grant: QuorumGrant, request: Request, waitedMs: number): AnyAcquired {
    const hold = new QuorumHold(client, grant, request)
    return { hold, entry: hold.#addLease(hold.target, request, waitedMs) }
  }

  private constructor(client: QuorumClient, grant: QuorumGrant, request: Request) {
    this.#client = client
    this.target = grant.target
    this.n = grant.n
    this.owner = grant.owner
    this.#ballot = grant.ballot
    this.#fencingToken = grant.fencingToken
    this.#leases = new LeaseSet(monotonicMs() + request.maxHoldMs)
    const { deadlineAt } = this.#ballot
    this.#renewedUntil = deadlineAt
    this.#limitReachedAt = limitReachedAt(request, this.#leases.limitAt, deadlineAt, client.settings)
    grant.ballot.listener = this
    client.holds.add(this)
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

  async enter(target: Target, request: Request, wantsToken: boolean): Promise<LeaseEntry | null> {
    const startedAt = monotonicMs()
    const suit = (): Promise<boolean> => this.#suit(request, wantsToken)
    const entered = await enterUntilAnswered(suit, request, startedAt, this.#client.reports, this.#details)
    // Its last lease may have been left while the answer was on its way to here.
    return entered && this.#mayEnter() ? this.#addLease(target, request, monotonicMs() - startedAt) : null
  }

  async leave(entry: LeaseEntry): Promise<void> {
    const { loss, isRenewed } = this
    this.#leases.delete(entry)
    if (loss) throw lossForCaller(loss)
    if (this.#leases.count > 0) {
      this.#reschedule()
      this.#client.reports.released(this, this.kind, true)
      return
    }
    this.#state = 'leaving'
    this.bodies?.letAllIn()
    const missing = this.#ballot.all.length - this.#ballot.given.length
    const { channels, settings } = this.#client
    const release = (): Promise<QuorumRelease> => releaseVotes(this.#ballot, settings.memberTimeoutMs)
    const outcome = await (channels ? channels.release(this, release, (reply) => reply) : release())
    if (outcome === 'not-held' && this.#isLeaving)
      this.lose(missing > 0 ? this.#reason('ended', isRenewed) : 'minority')
    this.#assertNotLost()
    const isConfirmed = outcome === 'released'
    if (!isConfirmed) this.#client.reports.unconfirmed(unconfirmedText(this))
    this.#state = 'released'
    this.#client.holds.remove(this, 'released')
    this.#client.reports.released(this, this.kind, isConfirmed)
  }

  async extend(leaseMs: number): Promise<void> {
    this.#assertNotLost()
    await this.#onMajority(extendVotes(this.#ballot, leaseMs))
    this.#assertNotLost()
  }

  /** Requests masters that are missing, so that the next one to fail does not end the hold. */
  repair(): void {
    if (this.#state !== 'live' || this.loss) return
    const { settings } = this.#client
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
    const { reports } = this.#client
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
    this.#client.holds.remove(this, reason === 'ended' ? 'ended' : 'lost')
    this.#leases.abortAll(error)
    this.bodies?.letAllIn()
    this.#client.reports.lost(this, error)
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
    const wantedMs = Math.min(request.leaseMs ?? this.#client.settings.watchdogTimeoutMs, request.maxHoldMs)
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

  #addLease(target: Target, { leaseMs, maxHoldMs }: Request, waitedMs: number): LeaseEntry {
    const entry = new LeaseEntry(this, target, leaseMs === null, monotonicMs() + maxHoldMs, undefined)
    this.#leases.add(entry)
    this.#reschedule()
    this.#client.reports.acquired(this, this.kind, waitedMs)
    return entry
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

const unconfirmedText = ({ target, owner }: ReportedHold): string =>
  `the release of ${titleOf(target)} by ${owner} was not acknowledged by a majority of the masters; ` +
  'it is repeated in the background, and the leases will expire on their own'

export type QuorumRelease = 'released' | 'unconfirmed' | 'not-held'

/**
 * Releases all votes at once. Resolves when a majority has confirmed it, and otherwise when all have replied or have had
 * their time; what got no reply is repeated in the background.
 *
 * @returns `not-held`: so many masters no longer counted us as the holder that there was no majority
 */
async function releaseVotes(ballot: Ballot, memberTimeoutMs: number): Promise<QuorumRelease> {
  const given = ballot.given
  let confirmed = 0
  let denied = 0
  ballot.giveBack(ballot.all.filter((vote) => !given.includes(vote)))
  const replies = given.map(async (vote) => {
    try {
      if (!(await vote.release())) throw new TooFewError([])
      confirmed++
    } catch (error) {
      if (error instanceof LockLostError) denied++
      throw error
    }
  })
  const decided = majorityOf(replies, ballot.quorum).catch(() => Promise.allSettled(replies))
  await withTimeout(decided, memberTimeoutMs)
  if (confirmed >= ballot.quorum) return 'released'
  return given.length - denied < ballot.quorum ? 'not-held' : 'unconfirmed'
}

/**
 * Makes a majority fit to be handed out: raises the largest token of its masters there, and extends votes that were kept
 * during a wait. Returns the token at once if there is nothing to do, 0 without one.
 */
export function settleVotes(
  ballot: Ballot,
  wantsToken: boolean,
  leaseMs: number | null,
): number | Promise<number> {
  const mustExtend = leaseMs !== null && isShort(ballot.deadlineAt - monotonicMs(), leaseMs)
  if (!wantsToken && !mustExtend) return 0
  return settle(ballot, wantsToken, mustExtend ? leaseMs : null)
}

async function settle(ballot: Ballot, wantsToken: boolean, extendByMs: number | null): Promise<number> {
  const extending = extendByMs === null ? undefined : extendVotes(ballot, extendByMs)
  const [token] = await Promise.all([wantsToken ? raiseToken(ballot) : 0, extending])
  return token
}

/**
 * The fencing token of a majority: the largest that its masters drew, and from now on the least that a majority has seen.
 * Every later majority shares a master with that one, and so draws a larger one. The master that drew it is asked, too: it
 * may have lost it since.
 */
async function raiseToken(ballot: Ballot): Promise<number> {
  const token = ballot.largestToken
  const raised = ballot.given.map((vote) => vote.raiseToken(token))
  await majorityOf(raised, ballot.quorum)
  return token
}

async function extendVotes(ballot: Ballot, leaseMs: number): Promise<void> {
  const extended = ballot.given.map(({ hold }) => hold?.extend(leaseMs) ?? Promise.resolve())
  await majorityOf(extended, ballot.quorum)
}

/** A fixed lease of which the votes have less than this left is set again before it is handed out. */
const leastShareOfLease = 0.9

interface Wanted {
  readonly leaseMs: number | null
  readonly maxHoldMs: number
}

/**
 * The lease with which votes are requested; `null` for one that is renewed from the start. The limit of the hold counts from
 * its grant, which comes after that of the votes: the votes have no such limit, and a shorter one is a fixed lease until then.
 */
export function voteLeaseMs(
  { leaseMs, maxHoldMs }: Wanted,
  { watchdogTimeoutMs }: QuorumSettings,
): number | null {
  if (leaseMs !== null) return Math.min(leaseMs, maxHoldMs)
  return maxHoldMs < watchdogTimeoutMs ? maxHoldMs : null
}

/** Whether so little is left of the votes that they must be extended before they are handed out. */
const isShort = (leftMs: number, leaseMs: number): boolean => leftMs < leaseMs * leastShareOfLease

/**
 * From when on the votes end because of the limit of their hold, and not for want of renewal.
 *
 * @param deadlineAt - theirs at the grant
 */
function limitReachedAt(
  { leaseMs, maxHoldMs }: Wanted,
  limitAt: number,
  deadlineAt: number,
  { watchdogTimeoutMs, marginMs }: QuorumSettings,
): number {
  // Their whole lease was cut to the limit from the start.
  if (maxHoldMs < (leaseMs ?? watchdogTimeoutMs)) return deadlineAt
  return limitAt - driftMs(watchdogTimeoutMs, marginMs)
}
