import type { LockSteps } from '../engine/lock-steps.js'
import type { Address, Addressing, ObjectType, Target } from '../engine/requests.js'
import type { FencedClient, FencingLease, Registry } from '../engine/session.js'
import type { Ready, StoreSilence } from '../waiting/readiness.js'
import type { Events } from '../events/events.js'
import type { HoldTable } from '../ownership/owners.js'
import type { Hold } from '../holding/hold.js'
import type { Request, Settings } from '../options/options.js'
import type { Closing } from '../ownership/closing.js'
import type { Frames } from '../ownership/frames.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import type { StoreClient } from '../store-client.js'
import type { Background } from '../util/background.js'
import type { NotAcquired } from '../waiting/outcome.js'

export interface AnyAcquired {
  readonly hold: Possession
  readonly entry: LeaseEntry
}

/** Where a lock is, as its handles see it: one store, or a quorum of masters. */
export interface Home {
  readonly clientId: string
  readonly settings: Settings
  /** As messages name it. */
  readonly storeName: string
  readonly frames: Frames
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly silence: StoreSilence
  readonly readiness: Ready
  readonly names: Addressing
  readonly steps: Pick<LockSteps, 'force' | 'inspect'>
  readonly registry: Pick<Registry, 'find'>
  readonly holds: {
    readonly size: number
    readonly counts: HoldTable<Hold>['counts']
    find(
      owner: string,
    ): { isReleased: boolean; lose(reason: 'revoked' | 'member-lost', cause?: Error): void } | undefined
  }
  /** How many acquisitions wait for a held lock now. */
  readonly waiting: number
  readonly operations: HomeOperations | undefined
  /** What to do for a token, if leases can have some but not each has one. */
  readonly tokenAdvice: ((object: ObjectType) => string) | undefined
  /** Of the engine, if it has it. */
  readonly fence:
    ((client: FencedClient, lease: FencingLease, timeoutMs: number) => Promise<void>) | undefined
  /** For locks that are acquired together; a quorum lock cannot be one of them. */
  readonly asStore: StoreClient | undefined
  /** Ends the client, after a drain. */
  closeAll(drainMs: number): Promise<void>
  /** Under an owner of its own. @param wantedSince - when the caller wanted it, if it had to wait for its turn in this process first */
  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<AnyAcquired | NotAcquired>
}

export interface OwnerReport {
  /** For how long it has held the object or waited for it. */
  readonly ageMs: number
  /** Of its hold; 0: none. */
  readonly fencingToken: number
}

/** What the client of an owner says of it, if it does. */
export type OwnerReports = (owner: string) => OwnerReport | undefined

/** What the clients of other owners report, and are notified of. */
export interface HomeOperations {
  reportsOf(address: Address, owners: readonly string[]): Promise<OwnerReports>
  announce(address: Address, owner: string, by: string): Promise<void>
}
