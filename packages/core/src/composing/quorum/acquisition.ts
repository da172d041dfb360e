import { traceAcquire } from '../../channels/acquire.js'
import type { TracedAcquisition } from '../../channels/acquire.js'
import { isObserved, operations } from '../../channels/channels.js'
import { contextOfCall } from '../../channels/in-context.js'
import { clientOf, ownerOf } from '../../engine/owner.js'
import { LockLostError, UnavailableError } from '../../errors.js'
import type { HoldfastError, HoldfastErrorDetails } from '../../errors.js'
import type { Request } from '../../options.js'
import type { Target } from '../../ownership/target.js'
import { toHoldfastError } from '../../store-errors.js'
import { onAbort } from '../../util/abort.js'
import { backoffMs, retryAfterMs } from '../../util/backoff.js'
import { monotonicMs } from '../../util/clock.js'
import type { NotAcquired } from '../../waiting/outcome.js'
import { isBehindItself } from '../../waiting/wait-reports.js'
import { readAheadMs } from '../../waiting/waiter-table.js'
import { closedWhileWaiting, notReached, tooManyWaiters } from '../../waiting/wording.js'
import type { QuorumAcquisitionDeps } from './acquisition-deps.js'
import { KeptVotes } from './kept-votes.js'
import { TooFewError } from './majority.js'
import type { Master } from './master.js'
import { readPresentHolder } from './present-holder.js'
import { roundOf } from './round.js'
import { settleVotes } from './settling.js'
import type { Vote } from './vote.js'
import { reportingTo } from './vote-keeper.js'
import type { VoteKeeper } from './vote-keeper.js'
import { voteLeaseMs } from './vote-lease.js'
import { Votes } from './votes.js'
import { tooFewReached } from './wording.js'

/** After this share of `memberTimeoutMs` masters that have not replied are passed over, if those that have are enough. */
const patienceShare = 1 / 4

/** The pauses of an attempt that insists. */
const insistence = { firstMs: 3, longestMs: 50 }

type State = 'consulting' | 'requesting' | 'insisting' | 'waiting' | 'pausing' | 'settling' | 'over'

/**
 * One outermost acquisition of a quorum lock.
 *
 * The *gate* is the first master in order that replies. Who has it goes first, so that its queue is the queue of the lock.
 *
 * | State      | true in it                                                | leaves it on                                      |
 * | ---------- | --------------------------------------------------------- | ------------------------------------------------- |
 * | consulting | too few masters are known to be up: the others are        | checked → requesting                              |
 * |            | checked                                                   |                                                   |
 * | requesting | masters without a vote are requested at once, unqueued    | majority with the gate → settling; a master in    |
 * |            |                                                           | the way is busy → waiting; too few reply → pausing |
 * | insisting  | a single attempt that has the gate, while others have     | short pause over → requesting; too long → over    |
 * |            | votes and no majority: they will give them back           |                                                   |
 * | waiting    | queued at one master; only votes of earlier ones are kept | granted, or it went down → requesting             |
 * | pausing    | nothing is held or in flight                              | pause over, or a master came up → consulting      |
 * | settling   | a majority said yes; its tokens and leases are raised     | done → over; too few left → requesting            |
 * | over       | the result was given, timers and listener are gone        | -                                                 |
 *
 * All wait for masters in one order, and keep only votes of masters before the one they wait for: so nobody waits in a circle.
 * For the case that some client has another order, votes that are kept during a wait go back after one watchdog time.
 */
export class QuorumAcquisition<A> {
  readonly n: number
  readonly owner: string
  readonly #target: Target
  readonly #deps: QuorumAcquisitionDeps<A>
  readonly #options: Request
  readonly #wantsToken: boolean
  readonly #startedAt = monotonicMs()
  readonly #wantedSince: number
  readonly #votes: Votes
  readonly #kept: KeptVotes
  /** Of the votes; `null` if they are renewed. */
  readonly #leaseMs: number | null
  #keeper: VoteKeeper
  #state: State = 'requesting'
  #settle: { resolve(result: A | NotAcquired): void; reject(error: unknown): void } | undefined
  #stopListening: (() => void) | undefined
  #waitTimer: NodeJS.Timeout | undefined
  /** Of the state: patience with a master, a pause. */
  #timer: NodeJS.Timeout | undefined
  /** Masters that have not replied by now are passed over, if those that have are enough. */
  #isPatienceOver = false
  #queuedAt: Vote | undefined
  #wasQueued = false
  #reportedWaiting = false
  #last: { readonly holder: string; readonly position: number } | undefined
  #lastError: HoldfastError | undefined
  #failures = 0
  #insisted = 0
  #insistUntil: number | undefined

  /** @param wantedSince - when the caller wanted the lock, if it had to wait for its turn in this process first */
  constructor(
    deps: QuorumAcquisitionDeps<A>,
    target: Target,
    options: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ) {
    const inContext = contextOfCall()
    this.#deps = inContext ? { ...deps, admit: (...args) => inContext(() => deps.admit(...args)) } : deps
    this.#target = target
    this.#options = options
    this.#wantsToken = wantsToken
    this.#wantedSince = wantedSince ?? this.#startedAt
    this.n = deps.nextNumber()
    this.owner = ownerOf(deps.settings.clientId, this.n)
    this.#leaseMs = voteLeaseMs(options, deps.settings)
    this.#keeper = {
      isRenewed: this.#leaseMs === null,
      limitAt: Infinity,
      changed: (vote) => {
        this.#changed(vote)
      },
      renewed: () => undefined,
    }
    this.#kept = new KeptVotes(deps.settings)
    const voteDeps = reportingTo({
      target,
      n: this.n,
      events: deps.events,
      keeper: () => this.#keeper,
      waiting: (holder, position) => {
        this.#waiting(holder, position)
      },
      granted: () => {
        this.#wasQueued = true
      },
      background: (work) => {
        deps.background(work)
      },
    })
    this.#votes = new Votes(deps.masters, voteDeps)
  }

  /** `run()` for a call of the application, published to those who listen. */
  runTraced(): Promise<A | NotAcquired> {
    if (!isObserved(operations.acquire)) return this.run()
    return traceAcquire(
      {
        subject: this.#subject,
        request: this.#options,
        wantedSince: this.#wantedSince,
        isContended: () => this.#reportedWaiting || this.#last !== undefined,
      },
      () => this.run(),
    )
  }

  run(): Promise<A | NotAcquired> {
    const { signal, waitMs } = this.#options
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#deps.acquisitions.add(this)
      if (signal?.aborted) {
        this.#fail(signal.reason)
        return
      }
      if (signal)
        this.#stopListening = onAbort(signal, () => {
          this.#fail(signal.reason)
        })
      if (waitMs > 0 && waitMs !== Infinity) {
        if (waitMs >= 2 * readAheadMs) this.#readAfter(waitMs - readAheadMs)
        else this.#endAfter(waitMs)
      }
      this.#begin()
    })
  }

  wentDown(master: Master, error: HoldfastError): void {
    this.#votes.all.find((vote) => vote.master === master)?.giveUp(error)
  }

  cameUp(): void {
    if (this.#state === 'pausing') this.#begin()
  }

  close(): void {
    this.#fail(closedWhileWaiting(this.#target, this.#details))
  }

  #begin(): void {
    const { contention } = this.#deps
    const usable = this.#votes.all.filter(({ master }) => master.health.isUsable)
    if (usable.length < this.#votes.quorum) {
      this.#consult(this.#votes.all.filter((vote) => !usable.includes(vote)))
      return
    }
    const [gate] = usable
    if (gate && contention.isLikely(this.#target.address.id)) this.#requestFirst(gate)
    else this.#requestAll()
  }

  /** A master that is down may be up again, and without it there is no majority. */
  #consult(votes: readonly Vote[]): void {
    this.#enter('consulting')
    const checks = votes.map(({ master, address }) => master.health.check(address))
    void Promise.allSettled(checks).then(() => {
      if (this.#state === 'consulting') this.#requestAll()
    })
  }

  /** Behind a gate that is likely busy, to request the others would bring nothing. */
  #requestFirst(gate: Vote): void {
    if (this.#options.waitMs > 0) {
      this.#queueAt(gate)
      return
    }
    this.#enter('requesting')
    this.#passOverIfSilent(gate)
    gate.request(this.#attempt(0))
    this.#evaluate()
  }

  /** @param except - is passed over in this round */
  #requestAll(except?: Vote): void {
    this.#enter('requesting')
    this.#queuedAt = undefined
    const request = this.#attempt(0)
    for (const vote of this.#votes.all) if (vote !== except && !vote.isRefused) vote.request(request)
    this.#afterPatience(() => {
      this.#isPatienceOver = true
      this.#evaluate()
    })
    this.#evaluate()
  }

  /** A gate that was requested alone, and of which nothing has been heard. */
  #passOverIfSilent(gate: Vote): void {
    this.#afterPatience(() => {
      if (gate.state !== 'requested' || this.#last) return
      gate.giveBack()
      this.#requestAll(gate)
    })
  }

  #afterPatience(step: () => void): void {
    this.#timer = setTimeout(step, this.#deps.settings.memberTimeoutMs * patienceShare)
  }

  #attempt(waitMs: number): Request {
    return { waitMs, leaseMs: this.#leaseMs, maxHoldMs: Infinity, signal: undefined }
  }

  #changed(vote: Vote): void {
    if (this.#state === 'requesting') this.#evaluate()
    else if (this.#state === 'waiting' && vote === this.#queuedAt && vote.state !== 'requested') {
      this.#onQueueLeft(vote)
    }
  }

  #evaluate(): void {
    if (this.#state !== 'requesting') return
    const round = roundOf(this.#votes, this.#isPatienceOver)
    switch (round.kind) {
      case 'won':
        this.#win()
        break
      case 'too-few':
        this.#onTooFew()
        break
      case 'behind':
        this.#waitBehind(round.busy, round.isGate)
        break
      case 'again':
        this.#requestAll()
        break
      case 'open':
    }
  }

  #waitBehind(busy: Vote, isGate: boolean): void {
    if (isGate) this.#deps.contention.foundBusy(this.#target.address.id)
    if (this.#options.waitMs === 0) {
      if (isGate || this.#votes.isOfAnother) this.#end()
      else this.#insist()
      return
    }
    this.#votes.giveBack(this.#votes.after(busy))
    this.#queueAt(busy)
  }

  /** Those who have votes without the gate give them back at once. Only one has the gate, so only one insists. */
  #insist(): void {
    const now = monotonicMs()
    this.#insistUntil ??= now + this.#deps.settings.memberTimeoutMs * patienceShare
    if (now >= this.#insistUntil) {
      this.#end()
      return
    }
    this.#enter('insisting')
    this.#timer = setTimeout(
      () => {
        this.#requestAll()
      },
      backoffMs(++this.#insisted, insistence),
    )
  }

  #queueAt(vote: Vote): void {
    const { acquisitions, settings } = this.#deps
    this.#enter('waiting')
    if (acquisitions.waiting > settings.maxWaiters) {
      this.#fail(tooManyWaiters(this.#target, settings.maxWaiters, this.#details))
      return
    }
    this.#queuedAt = vote
    this.#wasQueued = false
    this.#passOverIfSilent(vote)
    this.#kept.keep(this.#votes.before(vote), this.#leaseMs)
    vote.request(this.#attempt(Math.max(1, Math.ceil(this.#waitLeftMs()))))
    if (vote.state === 'failed') this.#onQueueLeft(vote)
  }

  #onQueueLeft(vote: Vote): void {
    if (vote.state === 'yes') this.#noteContention()
    if (vote.state !== 'busy') this.#requestAll()
    // An earlier request, which did not queue, was still under way; or else the wait has run out.
    else if (this.#waitLeftMs() > 0) this.#queueAt(vote)
    else this.#end()
  }

  #noteContention(): void {
    const { id } = this.#target.address
    if (this.#wasQueued) this.#deps.contention.foundBusy(id)
    else this.#deps.contention.foundFree(id)
  }

  #win(): void {
    this.#enter('settling')
    const settling = settleVotes(this.#votes, this.#wantsToken, this.#leaseMs)
    if (typeof settling === 'number') {
      this.#handOut(settling)
      return
    }
    settling.then(
      (token) => {
        if (this.#state !== 'settling') return
        if (this.#votes.isMajority) this.#handOut(token)
        else this.#requestAll()
      },
      (error: unknown) => {
        if (this.#state === 'settling') this.#onUnsettled(error)
      },
    )
  }

  #onUnsettled(thrown: unknown): void {
    const [first] = thrown instanceof TooFewError ? thrown.errors : [thrown]
    const error = toHoldfastError(first, this.#details)
    if (error instanceof LockLostError) this.#requestAll()
    else this.#pauseAfter(error)
  }

  #handOut(fencingToken: number): void {
    const grant = { target: this.#target, n: this.n, owner: this.owner, votes: this.#votes, fencingToken }
    const settle = this.#settle
    this.#finish()
    const waitedMs = monotonicMs() - this.#wantedSince
    settle?.resolve(
      this.#deps.admit(grant, this.#options, waitedMs, (keeper) => {
        this.#keeper = keeper
      }),
    )
  }

  #onTooFew(): void {
    const { all, quorum, troubles } = this.#votes
    const refused = all.filter(({ isRefused }) => isRefused)
    const details = { masters: all.length, quorum, engine: this.#deps.settings.engine }
    const error = tooFewReached(this.#target, details, troubles, this.#details)
    if (all.length - refused.length >= quorum) this.#pauseAfter(error)
    // Enough masters will say the same next time.
    else this.#fail(toHoldfastError(refused[0]?.error, this.#details))
  }

  #pauseAfter(error: HoldfastError): void {
    this.#votes.giveBack()
    if (this.#options.waitMs === 0 || !(error instanceof UnavailableError)) {
      this.#fail(error)
      return
    }
    this.#lastError = error
    // That another owner had it before says nothing now.
    this.#last = undefined
    this.#deps.events.emitError(error)
    if (this.#isOver) return
    this.#enter('pausing')
    this.#timer = setTimeout(() => {
      this.#begin()
    }, retryAfterMs(++this.#failures))
  }

  #waiting(holder: string, position: number): void {
    const { events, settings } = this.#deps
    this.#last = { holder, position }
    if (this.#reportedWaiting || this.#state !== 'waiting') return
    this.#reportedWaiting = true
    const { kind, address } = this.#target
    const behind = {
      behindOwnClient: clientOf(holder) === settings.clientId,
      behindItself: isBehindItself(this.#target, holder, this.#options.inside),
    }
    events.emit('waiting', { name: address.name, kind, owner: this.owner, holder, position, ...behind })
  }

  #endAfter(ms: number): void {
    this.#waitTimer = setTimeout(() => {
      this.#onWaitEnd()
    }, ms)
  }

  /** Shortly before the end it is read who has the master that is waited for. */
  #readAfter(ms: number): void {
    this.#waitTimer = setTimeout(() => {
      this.#endAfter(Math.max(0, Math.ceil(this.#waitLeftMs())))
      const vote = this.#queuedAt
      if (this.#state !== 'waiting' || !vote || !this.#last) return
      void readPresentHolder(vote, this.owner).then((found) => {
        if (this.#state === 'waiting' && this.#queuedAt === vote) this.#last = found ?? this.#last
      })
    }, ms)
  }

  #onWaitEnd(): void {
    if (this.#last) {
      this.#end()
      return
    }
    const waitedMs = Math.round(monotonicMs() - this.#startedAt)
    const { engine, storeName } = this.#deps.settings
    const silent = this.#votes.in('requested').map(({ master: { name } }) => name)
    const store = { engine, storeName: silent.join(' and ') || storeName }
    this.#fail(notReached(this.#target, store, waitedMs, this.#lastError, this.#details))
  }

  #waitLeftMs(): number {
    return this.#startedAt + this.#options.waitMs - monotonicMs()
  }

  get #subject(): TracedAcquisition['subject'] {
    const { clientId, engine } = this.#deps.settings
    const { address, kind } = this.#target
    return { clientId, engine, name: address.name, kind, owner: this.owner }
  }

  get #details(): HoldfastErrorDetails {
    return { lockName: this.#target.address.name, owner: this.owner }
  }

  /** Listeners may end an acquisition from within. */
  get #isOver(): boolean {
    return this.#state === 'over'
  }

  #enter(state: Exclude<State, 'over'>): void {
    this.#setState(state)
    this.#isPatienceOver = false
    this.#kept.end()
    clearTimeout(this.#timer)
  }

  #setState(state: State): void {
    const { acquisitions } = this.#deps
    if (this.#state === 'waiting') acquisitions.waiting--
    this.#state = state
    if (state === 'waiting') acquisitions.waiting++
  }

  #end(): void {
    const settle = this.#settle
    const { address, kind: objectKind } = this.#target
    const { holder, position = 0 } = this.#last ?? {}
    const waitedMs = Math.round(monotonicMs() - this.#startedAt)
    if (!this.#finish()) return
    this.#votes.giveBack()
    const who = { name: address.name, objectKind, owner: this.owner, holder, position }
    const isSelf = holder !== undefined && isBehindItself(this.#target, holder, this.#options.inside)
    settle?.resolve({ kind: 'not-acquired', ...who, waitedMs, isBehindItself: isSelf })
  }

  #fail(error: unknown): void {
    const settle = this.#settle
    if (!this.#finish()) return
    this.#votes.giveBack()
    settle?.reject(error)
  }

  /** Whether this call was the one that ended it. */
  #finish(): boolean {
    if (this.#state === 'over') return false
    this.#setState('over')
    clearTimeout(this.#waitTimer)
    clearTimeout(this.#timer)
    this.#kept.end()
    this.#stopListening?.()
    this.#deps.acquisitions.delete(this)
    return true
  }
}
