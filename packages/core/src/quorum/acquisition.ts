import type { Target } from '../engine/requests.js'
import {
  LockLostError,
  toHoldfastError,
  UnavailableError,
  type HoldfastError,
  type HoldfastErrorDetails,
} from '../errors/errors.js'
import type { AnyAcquired } from '../objects/entrance.js'
import type { Request } from '../options/options.js'
import { monotonicMs } from '../time/time.js'
import { backoffMs, retryAfterMs } from '../util/timeouts.js'
import { notAcquired, notReached, tooManyWaiters, type NotAcquired } from '../waiting/outcome.js'
import { Wait, type Transitions } from '../waiting/wait.js'
import { Ballot, TooFewError, type Vote } from './ballot.js'
import type { QuorumClient } from './client.js'
import { QuorumHold, settleVotes, voteLeaseMs } from './hold.js'
import type { Master } from './master.js'
import { tooFewReached } from './options.js'

/** After this share of `memberTimeoutMs` masters that have not replied are passed over, if those that have are enough. */
const patienceShare = 1 / 4

/** How much later than its wait a majority that said yes in time may settle: a round trip, mostly. */
const lateSettlingMs = 50

/** The pauses of an attempt that insists. */
const insistence = { firstMs: 3, longestMs: 50 }

type State = 'beginning' | 'consulting' | 'requesting' | 'insisting' | 'waiting' | 'pausing' | 'settling'

const transitions: Transitions<State> = {
  beginning: ['consulting', 'requesting', 'waiting'],
  consulting: ['requesting'],
  requesting: ['requesting', 'insisting', 'waiting', 'pausing', 'settling'],
  insisting: ['requesting'],
  waiting: ['requesting', 'waiting'],
  pausing: ['consulting', 'requesting', 'waiting'],
  settling: ['requesting', 'pausing'],
}

/**
 * One outermost acquisition of a quorum lock.
 *
 * The *queue master* is the first master in order that replies. The owner that has it goes first: its queue is the queue of the lock.
 *
 * | State      | true in it                                                | leaves it on                                      |
 * | ---------- | --------------------------------------------------------- | ------------------------------------------------- |
 * | beginning  | nothing was sent yet                                      | begun → as pausing                                |
 * | consulting | too few masters are known to be up: the others are        | checked → requesting                              |
 * |            | checked                                                   |                                                   |
 * | requesting | masters without a vote are requested at once, unqueued    | majority with the queue master → settling; a      |
 * |            |                                                           | master in the way is busy → waiting; too few      |
 * |            |                                                           | reply → pausing                                   |
 * | insisting  | a single attempt that has the queue master, while others  | short pause over → requesting; too long → over    |
 * |            | have votes and no majority: they will give them back      |                                                   |
 * | waiting    | queued at one master; only votes of earlier ones are kept | granted, or it went down → requesting             |
 * | pausing    | nothing is held or in flight                              | pause over, or a master came up → consulting,     |
 * |            |                                                           | requesting or waiting                             |
 * | settling   | a majority said yes; its tokens and leases are raised     | done → over; too few left → requesting or pausing |
 * | over       | the result was given, timers and listener are gone        | -                                                 |
 *
 * All wait for masters in one order, and keep only votes of masters before the one they wait for: so nobody waits in a circle.
 * For the case that some client has another order, votes that are kept during a wait go back after one watchdog time.
 */
export class QuorumAcquisition extends Wait<AnyAcquired | NotAcquired, State> {
  readonly #client: QuorumClient
  readonly #wantsToken: boolean
  readonly #ballot: Ballot
  /** Of the votes; `null` if they are renewed. */
  readonly #leaseMs: number | null
  /** It has won at the end of its wait, and has a moment to settle. */
  #isLate = false
  #isPatienceOver = false
  #queuedAt: Vote | undefined
  #wasQueued = false
  #isCounted = false
  #reportedWaiting = false
  #last: { readonly holder: string; readonly position: number } | undefined
  /** Since when at least that is the holder. */
  #heldSince = 0
  #lastError: HoldfastError | undefined
  #failures = 0
  #insisted = 0
  #insistUntil: number | undefined

  constructor(
    client: QuorumClient,
    n: number,
    target: Target,
    options: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ) {
    super(client, n, target, options, wantedSince, 'beginning')
    this.#client = client
    this.#wantsToken = wantsToken
    this.#leaseMs = voteLeaseMs(options, client.settings)
    this.#ballot = new Ballot(client, target, this.n, {
      isRenewed: this.#leaseMs === null,
      limitAt: Infinity,
      changed: (vote) => this.#changed(vote),
      renewed: () => undefined,
      waiting: (holder, position) => this.#waiting(holder, position),
      granted: () => {
        this.#wasQueued = true
      },
    })
  }

  get isContended(): boolean {
    return this.#reportedWaiting || this.#last !== undefined
  }

  get obstacle(): { readonly holder: string } | undefined {
    return this.#last
  }

  wentDown(master: Master, error: HoldfastError): void {
    this.#ballot.all.find((vote) => vote.master === master)?.giveUp(error)
    this.#evaluate()
  }

  cameUp(): void {
    if (this.state === 'pausing') this.begin()
    else this.#evaluate()
  }

  protected get transitions(): Transitions<State> {
    return transitions
  }

  protected join(): void {
    this.#client.acquisitions.add(this)
  }

  protected begin(): void {
    const { contention, settings } = this.#client
    // All rounds together. The first of them ends before that if masters owe their replies.
    if (this.options.waitMs === 0) this.limitTo(settings.memberTimeoutMs + lateSettlingMs)
    const usable = this.#ballot.all.filter(({ master }) => master.health.isUsable)
    if (usable.length < this.#ballot.quorum) {
      this.#consult(this.#ballot.all.filter((vote) => !usable.includes(vote)))
      return
    }
    const [queueMaster] = usable
    if (queueMaster && contention.isLikely(this.target.address.id)) this.#requestFirst(queueMaster)
    else this.#requestAll()
  }

  /** A master that is down may be up again, and without it there is no majority. */
  #consult(votes: readonly Vote[]): void {
    this.enter('consulting')
    const checks = votes.map(({ master, address }) => master.health.check(address))
    void Promise.allSettled(checks).then(() => {
      if (this.state === 'consulting') this.#requestAll()
    })
  }

  /** Behind a queue master that is likely busy, to request the others would bring nothing. */
  #requestFirst(queueMaster: Vote): void {
    if (this.options.waitMs > 0) {
      this.#queueAt(queueMaster)
      return
    }
    this.enter('requesting')
    this.#passOverIfSilent(queueMaster)
    queueMaster.request(this.#attempt(0))
    this.#evaluate()
  }

  /** @param except - is passed over in this round */
  #requestAll(except?: Vote): void {
    this.enter('requesting')
    this.#queuedAt = undefined
    const request = this.#attempt(0)
    for (const vote of this.#ballot.all) if (vote !== except && !vote.isRefused) vote.request(request)
    this.#afterPatience(() => {
      this.#isPatienceOver = true
      this.#evaluate()
    })
    this.#evaluate()
  }

  /** A queue master that was requested alone, and of which nothing has been heard. */
  #passOverIfSilent(queueMaster: Vote): void {
    this.#afterPatience(() => {
      if (queueMaster.state !== 'requested' || this.#last) return
      queueMaster.giveBack()
      this.#requestAll(queueMaster)
    })
  }

  #afterPatience(step: () => void): void {
    this.after(this.#client.settings.memberTimeoutMs * patienceShare, step)
  }

  #attempt(waitMs: number): Request {
    return { waitMs, leaseMs: this.#leaseMs, maxHoldMs: Infinity, signal: undefined }
  }

  #changed(vote: Vote): void {
    if (this.state === 'requesting') this.#evaluate()
    else if (this.state === 'waiting' && vote === this.#queuedAt && vote.state !== 'requested') {
      this.#onQueueLeft(vote)
    }
  }

  #evaluate(): void {
    if (this.state !== 'requesting') return
    const round = roundOf(this.#ballot, this.#isPatienceOver)
    switch (round.kind) {
      case 'won':
        this.#win()
        break
      case 'too-few':
        this.#onTooFew()
        break
      case 'behind':
        this.#waitBehind(round.busy, round.isQueueMaster)
        break
      case 'again':
        this.#requestAll()
        break
      case 'unchecked':
      case 'open':
    }
  }

  #waitBehind(busy: Vote, isQueueMaster: boolean): void {
    if (isQueueMaster) this.#client.contention.foundBusy(this.target.address.id)
    if (this.options.waitMs === 0) {
      if (isQueueMaster || this.#ballot.isOfAnother) this.#endInVain()
      else this.#insist()
      return
    }
    this.#ballot.giveBack(this.#ballot.after(busy))
    this.#queueAt(busy)
  }

  /** Those who have votes without the queue master give them back at once. Only one has the queue master, so only one insists. */
  #insist(): void {
    const now = monotonicMs()
    this.#insistUntil ??= now + this.#client.settings.memberTimeoutMs * patienceShare
    if (now >= this.#insistUntil) {
      this.#endInVain()
      return
    }
    this.enter('insisting')
    this.after(backoffMs(++this.#insisted, insistence), () => this.#requestAll())
  }

  #queueAt(vote: Vote): void {
    const { acquisitions, settings } = this.#client
    this.enter('waiting')
    if (acquisitions.waiting > settings.maxWaiters) {
      this.fail(tooManyWaiters(this, settings.maxWaiters))
      return
    }
    this.#queuedAt = vote
    this.#wasQueued = false
    this.#passOverIfSilent(vote)
    this.#ballot.keepBefore(vote, this.#leaseMs)
    vote.request(this.#attempt(Math.max(1, Math.ceil(this.waitLeftMs))))
    if (vote.state === 'failed') this.#onQueueLeft(vote)
  }

  #onQueueLeft(vote: Vote): void {
    if (vote.state === 'yes') this.#noteContention()
    if (vote.state !== 'busy') this.#requestAll()
    // An earlier request, which did not queue, was still under way; or else the wait has run out.
    else if (this.waitLeftMs > 0) this.#queueAt(vote)
    else this.#endInVain()
  }

  #noteContention(): void {
    const { id } = this.target.address
    if (this.#wasQueued) this.#client.contention.foundBusy(id)
    else this.#client.contention.foundFree(id)
  }

  #win(): void {
    this.enter('settling')
    const settling = settleVotes(this.#ballot, this.#wantsToken, this.#leaseMs)
    if (typeof settling === 'number') {
      this.#handOut(settling)
      return
    }
    settling.then(
      (token) => {
        if (this.state !== 'settling') return
        if (this.#ballot.isMajority) this.#handOut(token)
        else this.#requestAll()
      },
      (error: unknown) => {
        if (this.state === 'settling') this.#onUnsettled(error)
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
    const grant = { target: this.target, n: this.n, owner: this.owner, ballot: this.#ballot, fencingToken }
    this.succeed(() => QuorumHold.open(this.#client, grant, this.options, monotonicMs() - this.waitsSince))
    this.#client.beginRepairing()
  }

  #onTooFew(): void {
    const { all, quorum, troubles } = this.#ballot
    const refused = all.filter(({ isRefused }) => isRefused)
    const details = { masters: all.length, quorum, engine: this.#client.settings.engine }
    const error = tooFewReached(this.target, details, troubles, this.#details)
    if (all.length - refused.length >= quorum) this.#pauseAfter(error)
    // Enough masters will say the same next time.
    else this.fail(toHoldfastError(refused[0]?.error, this.#details))
  }

  #pauseAfter(error: HoldfastError): void {
    this.#ballot.giveBack()
    if (this.options.waitMs === 0 || !(error instanceof UnavailableError)) {
      this.fail(error)
      return
    }
    this.#lastError = error
    // That another owner had it before says nothing now.
    this.#last = undefined
    this.#client.reports.error(error)
    if (this.isOver) return
    this.enter('pausing')
    this.after(retryAfterMs(++this.#failures), () => this.begin())
  }

  #waiting(holder: string, position: number): void {
    const { reports, clientId } = this.#client
    this.#note({ holder, position })
    if (this.#reportedWaiting || this.state !== 'waiting') return
    this.#reportedWaiting = true
    reports.waiting(this, holder, position, clientId, this.options.inside)
  }

  #note(found: { readonly holder: string; readonly position: number }): void {
    if (this.#last?.holder !== found.holder) this.#heldSince = monotonicMs()
    this.#last = found
  }

  /** Who has the master that is waited for. */
  protected readObstacle(): void {
    const vote = this.#queuedAt
    if (this.state !== 'waiting' || !vote || !this.#last) return
    void readPresentHolder(vote, this.owner).then((found) => {
      if (this.state === 'waiting' && this.#queuedAt === vote && found) this.#note(found)
    })
  }

  protected onLimit(): void {
    if (!this.#isLate && this.state === 'requesting' && this.#isUnchecked) {
      this.#isLate = true
      this.limitTo(lateSettlingMs)
      this.#win()
      return
    }
    const isOnce = this.options.waitMs === 0
    const owing = this.#ballot.all.filter(
      ({ state, master }) =>
        (state === 'requested' || !master.health.isUsable) &&
        (isOnce || master.silence.isOutage(this.startedAt)),
    )
    if (this.#last || (!this.#lastError && owing.length === 0)) {
      this.#endInVain()
      return
    }
    const { settings, storeName } = this.#client
    const silent = owing.map(({ master }) => master.storeName)
    const store = { settings, storeName: silent.join(' and ') || storeName }
    this.fail(notReached(this, store, this.waitedMs, this.#lastError))
  }

  get #isUnchecked(): boolean {
    return roundOf(this.#ballot, this.#isPatienceOver).kind === 'unchecked'
  }

  protected override enter(next: State): void {
    super.enter(next)
    this.#count(this.state === 'waiting')
    this.#isPatienceOver = false
    this.#ballot.endKeeping()
  }

  protected leave(_from: State, hasSucceeded: boolean): void {
    this.#count(false)
    this.#ballot.endKeeping()
    this.#client.acquisitions.delete(this)
    if (!hasSucceeded) this.#ballot.giveBack()
  }

  get #details(): HoldfastErrorDetails {
    return { lockName: this.target.address.name, owner: this.owner }
  }

  /** Those that wait are counted among all of this client. */
  #count(waits: boolean): void {
    if (waits === this.#isCounted) return
    this.#isCounted = waits
    this.#client.acquisitions.waiting += waits ? 1 : -1
  }

  #endInVain(): void {
    const heldSince = this.#last && this.#heldSince
    this.end(notAcquired(this, this.#last, this.waitedMs, this.options.inside, heldSince))
  }
}

interface UnderWay {
  readonly target: Target
  readonly owner: string
  readonly waitsSince: number
  readonly obstacle: { readonly holder: string } | undefined
  readonly inside: Request['inside']
  wentDown(master: Master, error: HoldfastError): void
  cameUp(): void
  readonly isInside: boolean
  close(): void
}

/** The acquisitions of a client that are under way. */
export class QuorumAcquisitions {
  /** How many of them wait for a held lock now; they count themselves. */
  waiting = 0
  readonly #all = new Set<UnderWay>()

  get all(): UnderWay[] {
    return [...this.#all]
  }

  add(acquisition: UnderWay): void {
    this.#all.add(acquisition)
  }

  delete(acquisition: UnderWay): void {
    this.#all.delete(acquisition)
  }

  wentDown(master: Master, error: HoldfastError): void {
    for (const acquisition of this.all) acquisition.wentDown(master, error)
  }

  cameUp(): void {
    for (const acquisition of this.all) acquisition.cameUp()
  }

  close(which: 'all' | 'outside'): void {
    for (const acquisition of this.all) if (which === 'all' || !acquisition.isInside) acquisition.close()
  }
}

const maxRemembered = 1_000

/** A queue master that was free once may only have been so between two others; one that was free so often in a row is not contended. */
const freeInARow = 4

interface Note {
  readonly until: number
  timesFree: number
}

/**
 * Which locks were found busy at their queue master lately. Requesting all masters of such a lock would mostly bring votes that have
 * to be given back, so the queue master is requested first, and alone.
 */
export class Contention {
  readonly #rememberMs: number
  readonly #notes = new Map<string, Note>()

  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs
  }

  isLikely(id: string): boolean {
    return (this.#notes.get(id)?.until ?? 0) > monotonicMs()
  }

  foundBusy(id: string): void {
    this.#notes.delete(id)
    this.#notes.set(id, { until: monotonicMs() + this.#rememberMs, timesFree: 0 })
    const [oldest] = this.#notes.keys()
    if (this.#notes.size > maxRemembered && oldest !== undefined) this.#notes.delete(oldest)
  }

  foundFree(id: string): void {
    const note = this.#notes.get(id)
    if (note && ++note.timesFree >= freeInARow) this.#notes.delete(id)
  }
}

/**
 * What the replies of one round amount to, so far.
 *
 * - `won`: a majority said yes, among them the queue master
 * - `unchecked`: the same, but it is not known of all masters yet whether two are one server
 * - `too-few`: all have replied that will, and they are no majority
 * - `behind`: there is no majority without this master, which is busy
 * - `again`: nothing is under way any more, and a part of it was given up
 * - `open`: replies to come may decide
 */
export type Round =
  | { readonly kind: 'won' | 'unchecked' | 'too-few' | 'again' | 'open' }
  | { readonly kind: 'behind'; readonly busy: Vote; readonly isQueueMaster: boolean }

/** @param isPatienceOver - masters that have not replied are passed over, if those that have are enough */
function roundOf(ballot: Ballot, isPatienceOver: boolean): Round {
  const queueMaster = queueMasterOf(ballot, isPatienceOver)
  if (queueMaster?.state === 'yes' && ballot.isMajority)
    return { kind: ballot.areChecked ? 'won' : 'unchecked' }
  const requested = ballot.in('requested').length
  const replied = ballot.given.length + ballot.in('busy').length
  const isComplete = requested === 0 && ballot.in('none').length === 0
  if (isComplete && replied < ballot.quorum) return { kind: 'too-few' }
  const [busy] = ballot.in('busy')
  if (busy && isInTheWay(busy, queueMaster, ballot, isPatienceOver))
    return { kind: 'behind', busy, isQueueMaster: busy === queueMaster }
  return { kind: requested === 0 ? 'again' : 'open' }
}

/** The first master that replies, once it is known which one that is. */
const queueMasterOf = (ballot: Ballot, isPatienceOver: boolean): Vote | undefined =>
  ballot.all.find(
    ({ state }) => state === 'yes' || state === 'busy' || (state === 'requested' && !isPatienceOver),
  )

/** Whether there is no majority without this master, the first that is busy. */
function isInTheWay(
  busy: Vote,
  queueMaster: Vote | undefined,
  ballot: Ballot,
  isPatienceOver: boolean,
): boolean {
  if (busy === queueMaster) return true
  const requested = ballot.in('requested').length
  const replied = ballot.given.length + ballot.in('busy').length
  if (replied < ballot.quorum && requested > 0) return false
  const isUndecided = ballot.before(busy).some(({ state }) => state === 'requested')
  const mayStillWin = ballot.given.length + requested >= ballot.quorum
  return isPatienceOver || (!isUndecided && !mayStillWin)
}

const mostRead = 100

/** Reads who has the master now that is waited for, and the position in its queue; `undefined` if it says nothing of another owner. */
async function readPresentHolder(
  { master, address }: Vote,
  owner: string,
): Promise<{ readonly holder: string; readonly position: number } | undefined> {
  const found = await master.steps.inspect(address, mostRead).catch(() => undefined)
  if (found?.kind !== 'lock') return undefined
  const holder = master.ownerOf(found.owner)
  const position = found.waiters.findIndex((waiter) => master.ownerOf(waiter.owner) === owner) + 1
  return holder === '' || holder === owner || position === 0 ? undefined : { holder, position }
}
