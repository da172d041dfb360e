import type { Target } from '../engine/requests.js'
import type { HoldfastError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Background } from '../util/background.js'
import type { Master } from './master.js'
import { Vote } from './vote.js'
import type { VoteListener } from './vote.js'

/** What ballots need of their client. */
export interface BallotDeps {
  readonly masters: readonly Master[]
  readonly settings: { readonly watchdogTimeoutMs: number }
  readonly events: Events
  readonly background: Background
}

/** Votes that are kept during a wait do not all go back at the same instant. */
const jitter = 0.25

/** The votes of all masters for one acquisition, and for the hold that comes of it, in the common order. */
export class Ballot {
  readonly target: Target
  /** The number of the acquisition. */
  readonly n: number
  /** Whom the votes report to: first the acquisition, then the hold. */
  listener: VoteListener
  readonly all: readonly Vote[]
  /** How many masters are a majority. */
  readonly quorum: number
  readonly #deps: BallotDeps
  #keeping: NodeJS.Timeout | undefined

  constructor(deps: BallotDeps, target: Target, n: number, listener: VoteListener) {
    this.#deps = deps
    this.target = target
    this.n = n
    this.listener = listener
    this.all = deps.masters.map((master) => new Vote(master, this))
    this.quorum = quorumOf(deps.masters.length)
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

  /** The largest token that a master drew for it. */
  get largestToken(): number {
    return Math.max(0, ...this.given.map(({ hold }) => hold?.fencingToken ?? 0))
  }

  /** Who evicts the owner, as far as its votes were told. */
  takeEvictor(): string | undefined {
    return this.all.map((vote) => vote.takeEvictor()).find((by) => by !== undefined)
  }

  /** Why some masters did not reply, in order. */
  get troubles(): { readonly name: string; readonly error: HoldfastError }[] {
    return this.in('failed').flatMap(({ master: { name }, error }) => (error ? [{ name, error }] : []))
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
    const longestMs = Math.min(this.#deps.settings.watchdogTimeoutMs, (leaseMs ?? Infinity) / 2)
    this.#keeping = setTimeout(() => this.giveBack(votes), longestMs * (1 + jitter * Math.random()))
  }

  /** The wait is over: what was kept stays. */
  endKeeping(): void {
    clearTimeout(this.#keeping)
  }

  background(work: Promise<unknown>): void {
    this.#deps.background.run(work)
  }

  emitError(error: unknown): void {
    this.#deps.events.emitError(error)
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

/** Too few of several steps succeeded. */
export class TooFewError extends Error {
  constructor(readonly errors: readonly unknown[]) {
    super('too few masters replied')
  }
}
