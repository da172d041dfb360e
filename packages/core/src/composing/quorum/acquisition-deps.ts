import type { Events } from '../../events.js'
import type { Request } from '../../options.js'
import type { Target } from '../../ownership/target.js'
import type { QuorumAcquisitions } from './acquisitions.js'
import type { Contention } from './contention.js'
import type { Master } from './master.js'
import type { VoteKeeper } from './vote-keeper.js'
import type { Votes } from './votes.js'

/** What an acquisition hands over when it got a majority. */
export interface QuorumGrant {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly votes: Votes
  /** 0 for none. */
  readonly fencingToken: number
}

/** What quorum acquisitions need of their client; `A` is what the caller gets. */
export interface QuorumAcquisitionDeps<A> {
  readonly masters: readonly Master[]
  readonly settings: {
    readonly clientId: string
    readonly engine: string
    readonly storeName: string
    readonly watchdogTimeoutMs: number
    readonly memberTimeoutMs: number
    readonly maxWaiters: number
  }
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>
  readonly contention: Contention
  /** Those under way. */
  readonly acquisitions: QuorumAcquisitions
  nextNumber(): number
  background(work: Promise<unknown>): void
  /** @param keep - makes the hold the one that the votes report to */
  admit(grant: QuorumGrant, request: Request, waitedMs: number, keep: (keeper: VoteKeeper) => void): A
}
