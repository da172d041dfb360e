import type { Request } from '../../options/options.js'
import type { Target } from '../../ownership/target.js'
import type { QuorumAcquisitions } from './acquisitions.js'
import type { Ballot, BallotDeps } from './ballot.js'
import type { Contention } from './contention.js'
import type { WaitReports } from '../../waiting/wait-reports.js'

/** What an acquisition hands over when it got a majority. */
export interface QuorumGrant {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly ballot: Ballot
  /** 0 for none. */
  readonly fencingToken: number
}

/** What quorum acquisitions need of their client; `A` is what the caller gets. */
export interface QuorumAcquisitionDeps<A> extends BallotDeps {
  readonly settings: {
    readonly clientId: string
    readonly engine: string
    readonly storeName: string
    readonly watchdogTimeoutMs: number
    readonly memberTimeoutMs: number
    readonly maxWaiters: number
  }
  readonly reports: WaitReports
  readonly contention: Contention
  /** Those under way. */
  readonly acquisitions: QuorumAcquisitions
  nextNumber(): number
  admit(grant: QuorumGrant, request: Request, waitedMs: number): A
}
