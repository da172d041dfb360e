import type { HoldfastError } from '../../errors.js'
import type { Master } from './master.js'
import { Vote } from './vote.js'
import type { VoteDeps } from './vote.js'

/** The votes of all masters for one acquisition, and for the hold that comes of it, in the common order. */
export class Votes {
  readonly all: readonly Vote[]
  /** How many masters are a majority. */
  readonly quorum: number

  constructor(masters: readonly Master[], deps: VoteDeps) {
    this.all = masters.map((master) => new Vote(master, deps))
    this.quorum = quorumOf(masters.length)
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

  /** Whether one other owner has a majority, as of the last replies. */
  get isOfAnother(): boolean {
    const holders = this.in('busy').map(({ holder }) => holder)
    return holders.some((holder) => holders.filter((other) => other === holder).length >= this.quorum)
  }

  /** The largest token that a master drew for it. */
  get largestToken(): number {
    return Math.max(0, ...this.given.map(({ hold }) => hold?.fencingToken ?? 0))
  }

  in(state: Vote['state']): Vote[] {
    return this.all.filter((vote) => vote.state === state)
  }

  giveBack(votes: readonly Vote[] = this.all): void {
    for (const vote of votes) vote.giveBack()
  }

  after(vote: Vote): readonly Vote[] {
    return this.all.slice(this.all.indexOf(vote) + 1)
  }

  before(vote: Vote): readonly Vote[] {
    return this.all.slice(0, this.all.indexOf(vote))
  }

  /** Why some masters did not reply, in order. */
  get troubles(): { readonly name: string; readonly error: HoldfastError }[] {
    return this.in('failed').flatMap(({ master: { name }, error }) => (error ? [{ name, error }] : []))
  }
}

/** How many of so many masters are a majority. */
export const quorumOf = (masters: number): number => Math.floor(masters / 2) + 1
