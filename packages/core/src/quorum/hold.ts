import type { Channels } from '../channels/channels.js'
import { titleOf } from '../engine/requests.js'
import type { Address, ObjectKind, Target } from '../engine/requests.js'
import { LockLostError } from '../errors/errors.js'
import type { HoldfastErrorDetails, LossReason } from '../errors/errors.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { HoldReports, Reported } from '../holding/hold-reports.js'
import type { HoldTable } from '../holding/hold-table.js'
import { enterUntilAnswered } from '../holding/hold.js'
import { LeaseSet } from '../holding/lease-set.js'
import type { LeaseHandle, LeaseMaker } from '../holding/lease-set.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { shortestLeaseMs } from '../options/options.js'
import type { Request } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import type { Turns } from '../ownership/turns.js'
import { driftMs } from '../time/deadline.js'
import { monotonicMs } from '../util/clock.js'
import { withTimeout } from '../util/timeouts.js'
import { majorityOf, TooFewError } from './ballot.js'
import type { Ballot } from './ballot.js'
import type { Vote, VoteListener } from './vote.js'

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
  const replies = ballot.all.map((vote) => (given.includes(vote) ? vote.release() : vote.giveBack()))
  await withTimeout(
    new Promise<void>((resolve) => {
      let open = given.length
      const settled = (): void => {
        open--
        if (confirmed >= ballot.quorum || open === 0) resolve()
      }
      for (const reply of replies) {
        reply?.then(
          (isConfirmed) => {
            if (isConfirmed) confirmed++
            settled()
          },
          (error: unknown) => {
            if (error instanceof LockLostError) denied++
            settled()
          },
        )
      }
      if (given.length === 0) resolve()
    }),
    memberTimeoutMs,
  )
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

/** Extends the leases of a majority. */
async function extendVotes(ballot: Ballot, leaseMs: number): Promise<void> {
  const extended = ballot.given.map(({ hold }) => hold?.extend(leaseMs) ?? Promise.resolve())
  await majorityOf(extended, ballot.quorum)
}

/** A fixed lease of which the votes have less than this left is set again before it is handed out. */
const leastShareOfLease = 0.9

type Wanted = Pick<Request, 'leaseMs' | 'maxHoldMs'>

interface Times {
  readonly watchdogTimeoutMs: number
}

/**
 * The lease with which votes are requested; `null` for one that is renewed from the start. The limit of the hold counts from
 * its grant, which comes after that of the votes: the votes have no such limit, and a shorter one is a fixed lease until then.
 */
export function voteLeaseMs({ leaseMs, maxHoldMs }: Wanted, { watchdogTimeoutMs }: Times): number | null {
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
  { watchdogTimeoutMs, marginMs }: Times & { readonly marginMs: number },
): number {
  // Their whole lease was cut to the limit from the start.
  if (maxHoldMs < (leaseMs ?? watchdogTimeoutMs)) return deadlineAt
  return limitAt - driftMs(watchdogTimeoutMs, marginMs)
}

/** What repairing needs of its client. */
export interface RepairDeps {
  readonly everyMs: number
  readonly holds: { readonly all: readonly { repair(): void }[] }
  readonly onRound: () => void
}

/** Has holds request the masters that they are missing, and waits looked at, every third of the watchdog time. */
export class Repair {
  readonly #deps: RepairDeps
  #interval: NodeJS.Timeout | undefined

  constructor(deps: RepairDeps) {
    this.#deps = deps
  }

  /** Does nothing when it has begun. */
  begin(): void {
    if (this.#interval) return
    const { everyMs, holds, onRound } = this.#deps
    this.#interval = setInterval(() => {
      for (const hold of holds.all) hold.repair()
      onRound()
    }, everyMs)
    // This timer must not keep the process alive.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }
}
