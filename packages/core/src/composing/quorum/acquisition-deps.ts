import type { Channels } from '../../channels/channels.js'
import type { LeaseHandle } from '../../holding/lease-set.js'
import type { QuorumAcquisitions } from './acquisitions.js'
import type { BallotDeps } from './ballot.js'
import type { Contention } from './contention.js'
import type { QuorumHoldDeps } from './hold.js'
import type { Repair } from './repair.js'
import type { WaitReports } from '../../waiting/wait-reports.js'

/** What quorum acquisitions need of their client; `L` is what callers get. */
export interface QuorumAcquisitionDeps<L extends LeaseHandle> extends BallotDeps {
  readonly settings: {
    readonly clientId: string
    readonly engine: string
    readonly storeName: string
    readonly watchdogTimeoutMs: number
    readonly memberTimeoutMs: number
    readonly maxWaiters: number
  }
  readonly reports: WaitReports
  readonly channels: Channels
  readonly contention: Contention
  /** Those under way. */
  readonly acquisitions: QuorumAcquisitions
  readonly holding: QuorumHoldDeps<L>
  readonly repair: Pick<Repair, 'begin'>
}
