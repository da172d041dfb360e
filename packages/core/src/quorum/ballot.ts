import type { Address, Target } from '../engine/requests.js'
import {
  toHoldfastError,
  UnavailableError,
  type HoldfastError,
  type LockLostError,
  type LossReason,
} from '../errors/errors.js'
import type { Acquired, Hold } from '../holding/hold.js'
import type { Request } from '../options/options.js'
import type { LeaseEntry, Voter } from '../ownership/possession.js'
import { monotonicMs } from '../time/time.js'
import { Acquisition } from '../waiting/acquisition.js'
import { isStaleReply, type NotAcquired } from '../waiting/outcome.js'
import type { QuorumClient } from './client.js'
import { voteNumber, type Master } from './master.js'
import { withoutSubject } from './options.js'

/** Votes that are kept during a wait do not all go back at the same instant. */
const jitter = 0.25

/** The votes of all masters for one acquisition, and for the hold that comes of it, in the common order. */
export class Ballot {
  readonly target: Target
  readonly n: number
  /** Whom the votes report to: first the acquisition, then the hold. */
  listener: VoteListener
  readonly all: readonly Vote[]
  readonly quorum: number
  readonly #client: QuorumClient
  #keeping: NodeJS.Timeout | undefined

  constructor(client: QuorumClient, target: Target, n: number, listener: VoteListener) {
    this.#client = client
    this.target = target
    this.n = n
    this.listener = listener
    this.all = client.masters.map((master) => new Vote(master, this))
    this.quorum = quorumOf(client.masters.length)
  }

  /** Those that have said yes, and still do as far as is known. */
  get given(): Vote[] {
    return this.all.filter(({ state, hold }) => state === 'yes' && hold)
  }

  get isMajority(): boolean {
    return this.given.length >= this.quorum
  }

  /** Whether a majority may be claimed at this very moment: not while it is unknown how long the machine was suspended. */
  get isHeld(): boolean {
    return this.all.filter(({ hold }) => hold?.isHeld).length >= this.quorum
  }

  /** Until then a majority may be claimed: the deadline that is the quorum-th latest. */
  get deadlineAt(): number {
    const deadlines = this.given.map(({ hold }) => hold?.deadlineAt ?? -Infinity).sort((a, b) => b - a)
    return deadlines[this.quorum - 1] ?? -Infinity
  }

  /** Whether it is known of all masters if they are up, and no two are one server. */
  get areChecked(): boolean {
    return this.all.every(({ master }) => master.health.wasChecked)
  }

  /** Whether one other owner has a majority, as of the last replies. */
  get isOfAnother(): boolean {
    const holders = this.in('busy').map(({ holder }) => holder)
    return holders.some((holder) => holders.filter((other) => other === holder).length >= this.quorum)
  }

  get largestToken(): number {
    return Math.max(0, ...this.given.map(({ hold }) => hold?.fencingToken ?? 0))
  }

  takeEvictor(): string | undefined {
    return this.all.map((vote) => vote.takeEvictor()).find((by) => by !== undefined)
  }

  get troubles(): { readonly name: string; readonly error: HoldfastError }[] {
    return this.in('failed').flatMap(({ master, error }) =>
      error ? [{ name: master.storeName, error }] : [],
    )
  }

  in(state: Vote['state']): Vote[] {
    return this.all.filter((vote) => vote.state === state)
  }

  before(vote: Vote): readonly Vote[] {
    return this.all.slice(0, this.all.indexOf(vote))
  }

  after(vote: Vote): readonly Vote[] {
    return this.all.slice(this.all.indexOf(vote) + 1)
  }

  giveBack(votes: readonly Vote[] = this.all): void {
    for (const vote of votes) vote.giveBack()
  }

  /**
   * Keeps the votes before this one while it is waited for. They go back after one watchdog time, in case that some client has
   * the masters in another order and waits for them in turn. A vote with a fixed lease is not renewed: it is kept while it still
   * lasts for long enough.
   */
  keepBefore(vote: Vote, leaseMs: number | null): void {
    this.endKeeping()
    const votes = this.before(vote)
    if (votes.length === 0) return
    const longestMs = Math.min(this.#client.settings.watchdogTimeoutMs, (leaseMs ?? Infinity) / 2)
    this.#keeping = setTimeout(() => this.giveBack(votes), longestMs * (1 + jitter * Math.random()))
  }

  /** The wait is over: what was kept stays. */
  endKeeping(): void {
    clearTimeout(this.#keeping)
  }
}

/** How many of so many masters are a majority. */
export const quorumOf = (masters: number): number => Math.floor(masters / 2) + 1

/**
 * Resolves once `quorum` of these have succeeded; rejects once so many have failed that this cannot happen any more, with
 * their errors in the order of their failing.
 */
export function majorityOf(steps: readonly Promise<unknown>[], quorum: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = []
    let succeeded = 0
    const check = (): void => {
      if (succeeded >= quorum) resolve()
      else if (steps.length - errors.length < quorum) reject(new TooFewError(errors))
    }
    for (const step of steps) {
      step.then(
        () => {
          succeeded++
          check()
        },
        (error: unknown) => {
          errors.push(error)
          check()
        },
      )
    }
    check()
  })
}

export class TooFewError extends Error {
  constructor(readonly errors: readonly unknown[]) {
    super('too few masters replied')
  }
}

/** Whom a vote reports to. */
export interface VoteListener {
  /** Whether the watchdog is to renew the hold at the master, and until when. */
  readonly isRenewed: boolean
  readonly limitAt: number
  /** Its state changed without a call: a reply came, or the hold was lost. */
  changed(vote: Vote): void
  renewed(): void
  /** Another owner has it; it may be queued. */
  waiting?(holder: string, position: number): void
  /** A release handed it over. */
  granted?(): void
}

type VoteState = 'none' | 'requested' | 'yes' | 'busy' | 'failed'

/**
 * One master's part in a quorum.
 *
 * | State     | true in it                                       | leaves it on                                             |
 * | --------- | ------------------------------------------------ | -------------------------------------------------------- |
 * | none      | not requested, given back or lost                | request → requested                                      |
 * | requested | a request or a wait in its queue is under way    | held → yes; another owner has it → busy; error → failed  |
 * | yes       | this master counts us as the holder              | given back or lost → none                                |
 * | busy      | another owner has it                             | request → requested; the round is over → none            |
 * | failed    | no reply, or one that says it never will         | request → requested; the reply comes late → as requested |
 *
 * A request keeps running when its vote is not wanted any more: if the reply is yes, the vote is given back. Only a wait in a
 * queue is cancelled.
 */
export class Vote implements Voter {
  readonly master: Master
  readonly address: Address
  readonly #ballot: Ballot
  #state: VoteState = 'none'
  #held: Acquired | undefined
  #holder = ''
  #error: HoldfastError | undefined
  #lossReason: LossReason | undefined
  #lostTo: string | undefined
  #requests = 0
  /** The request under way; one that was ended is forgotten here. */
  #current: { readonly wait: AbortController | undefined } | undefined
  #isWanted = false
  /** When the token of the quorum was last raised there, in the present hold. */
  #tokenRaisedAt = -Infinity

  constructor(master: Master, ballot: Ballot) {
    this.master = master
    this.#ballot = ballot
    this.address = master.names.locate(ballot.target.address.name, 'lock')
  }

  get state(): VoteState {
    return this.#state
  }

  /** The hold, while the master is known to count us as the holder. Checked by the clock too. */
  get hold(): Hold | undefined {
    const hold = this.#held?.hold
    return hold?.loss ? undefined : hold
  }

  get holder(): string {
    return this.#holder
  }

  get error(): HoldfastError | undefined {
    return this.#error
  }

  get lossReason(): LossReason | undefined {
    return this.#lossReason
  }

  /** Who evicted its last hold, or is about to evict the present one, if that was announced. */
  takeEvictor(): string | undefined {
    return this.#held ? this.master.evictions.take(this.#held.hold.owner) : this.#lostTo
  }

  /** Whether requesting it again makes no sense. */
  get isRefused(): boolean {
    return this.#state === 'failed' && !(this.#error instanceof UnavailableError)
  }

  /** Requests the lock; waits in the queue if the request has time to wait. A request that is under way serves too. */
  request(request: Request): void {
    this.#isWanted = true
    if (this.#state === 'yes') return
    const { health } = this.master
    if (!health.isUsable) {
      this.#state = 'failed'
      this.#error = health.error
      return
    }
    this.#state = 'requested'
    if (!this.#current) this.#send(request)
  }

  /** No longer wanted: what the master has of us is given up. */
  giveBack(): void {
    this.#isWanted = false
    this.#state = 'none'
    const held = this.#held
    this.#held = undefined
    if (held) this.#leave(held)
    if (!this.#current?.wait) return
    const { wait } = this.#current
    this.#current = undefined
    wait.abort(ended)
  }

  /** The master went down: its reply, if one comes at all, will be late. */
  giveUp(error: HoldfastError): void {
    if (this.#state !== 'requested') return
    const { wait } = this.#current ?? {}
    if (wait) {
      this.#current = undefined
      wait.abort(ended)
    }
    this.#fail(error)
  }

  /** Releases the hold. Resolves with whether the master has confirmed it; rejects with what else it said. */
  async release(): Promise<boolean> {
    const held = this.#held
    this.#held = undefined
    this.#state = 'none'
    this.#isWanted = false
    await held?.hold.leave(held.entry)
    return held === undefined || held.hold.isReleasedForGood
  }

  /** The quorum is lost: this master is to forget us as soon as it can be reached. */
  lose(): void {
    const held = this.#held
    // Losing it has it released, too.
    this.#held = undefined
    this.giveBack()
    held?.hold.lose('expired')
  }

  /**
   * Has the master draw larger tokens than this one from now on. It keeps it for so long that its clock will have passed the
   * token by then, even if it is far behind that of the master which drew it.
   */
  async raiseToken(token: number): Promise<void> {
    const held = this.#held
    const sentAt = monotonicMs()
    await this.master.raiseToken(this.address, token, keepTokenMs)
    if (this.#held === held) this.#tokenRaisedAt = sentAt
  }

  /** The same in the background, unless it was done lately. */
  keepToken(token: number): void {
    if (!this.hold || monotonicMs() < this.#tokenRaisedAt + keepTokenMs / 2) return
    // What fails is done again with the next renewal.
    this.master.background.run(this.raiseToken(token).catch(() => undefined))
  }

  /** What the leases ask for may have changed. */
  reschedule(): void {
    const { hold } = this
    const entry = this.#held?.entry
    if (!hold || !entry) return
    const { isRenewed, limitAt } = this.#ballot.listener
    entry.isRenewed = isRenewed
    entry.limitAt = limitAt
    this.master.watchdog.reschedule(hold)
  }

  waiting(holder: string, position: number): void {
    this.#ballot.listener.waiting?.(this.master.ownerOf(holder), position)
  }

  granted(): void {
    this.#ballot.listener.granted?.()
  }

  renewed(): void {
    this.#ballot.listener.renewed()
  }

  lost(entry: LeaseEntry, { reason, by }: LockLostError): void {
    if (this.#held?.entry !== entry) return
    this.#held = undefined
    this.#state = 'none'
    this.#lossReason = reason
    this.#lostTo = by
    this.#ballot.listener.changed(this)
  }

  #send(request: Request): void {
    const { master, address } = this
    const { target, n } = this.#ballot
    const wait = request.waitMs > 0 ? new AbortController() : undefined
    const current = { wait }
    this.#current = current
    const acquisition = new Acquisition(
      master,
      voteNumber(n, ++this.#requests),
      { ...target, address },
      { ...request, signal: wait?.signal },
      false,
      undefined,
      this,
    )
    if (wait) master.health.watch()
    const done = acquisition.run().finally(() => {
      if (wait) master.health.unwatch()
    })
    done.then(
      (outcome) => this.#onOutcome(outcome, current),
      (error: unknown) => this.#onError(error, current),
    )
  }

  #onOutcome(outcome: Acquired | NotAcquired, current: object): void {
    const isCurrent = this.#current === current
    if (isCurrent) this.#current = undefined
    if ('hold' in outcome) {
      this.#onHeld(outcome, isCurrent)
      return
    }
    if (!isCurrent || !this.#isWanted) return
    this.#state = 'busy'
    this.#holder = this.master.ownerOf(outcome.holder ?? '')
    this.#ballot.listener.waiting?.(this.#holder, outcome.position)
    this.#ballot.listener.changed(this)
  }

  /** A yes counts only if the master was checked since its connection last broke. */
  #onHeld(held: Acquired, isCurrent: boolean): void {
    const checking = this.master.health.ready(this.address)
    if (!checking) {
      this.#take(held, isCurrent)
      return
    }
    checking.then(
      () => this.#take(held, isCurrent),
      (error: unknown) => {
        this.#leave(held)
        if (isCurrent && this.#isWanted) this.#fail(toHoldfastError(error))
      },
    )
  }

  #take(held: Acquired, isCurrent: boolean): void {
    if (!isCurrent || !this.#isWanted || this.#held) {
      this.#leave(held)
      return
    }
    this.#held = held
    this.#tokenRaisedAt = -Infinity
    this.#state = held.hold.loss ? 'none' : 'yes'
    this.reschedule()
    this.#error = undefined
    this.#ballot.listener.changed(this)
  }

  #onError(thrown: unknown, current: object): void {
    if (this.#current !== current) return
    this.#current = undefined
    const given = toHoldfastError(thrown)
    const isUnavailable = given instanceof UnavailableError
    const error = isUnavailable ? withoutSubject(given, this.#ballot.target) : given
    if (isUnavailable && !isStaleReply(given)) this.master.health.failed(error)
    if (this.#isWanted) this.#fail(error)
  }

  #fail(error: HoldfastError): void {
    this.#state = 'failed'
    this.#error = error
    this.#ballot.listener.changed(this)
  }

  #leave({ hold, entry }: Acquired): void {
    // A loss or an error changes nothing: what is left of it ends with its lease.
    this.master.background.run(hold.leave(entry).catch(() => undefined))
  }
}

/** One day. */
const keepTokenMs = 86_400_000

/** Why a wait in a queue was ended. */
const ended = new Error('no longer wanted')
