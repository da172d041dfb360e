import type { Confirmer } from '../engine/confirmer.js'
import type { Awaited, LatchWaitReply } from '../engine/latch.js'
import type { AcquireReply } from '../engine/replies.js'
import type { AcquireRequest, Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import type { HoldfastError } from '../errors.js'
import type { Events } from '../events.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { Grant } from '../holding/grant.js'
import type { Request } from '../options.js'
import type { Proofs } from './proofs.js'
import type { WaiterTable } from './waiter-table.js'

/** Where an acquisition sends its requests: the session itself, or for a latch what makes waits of them. */
export interface Requests extends Pick<
  EngineSession,
  'connectionEpoch' | 'isSubscribed' | 'subscribe' | 'watch' | 'unwatch' | 'noteToken'
> {
  /** Absent for a latch, which nobody holds. */
  readonly inspect?: EngineSession['inspect']
  /** @param awaited - which opening of a latch is waited for, as of the last reply */
  acquire(
    address: Address,
    request: AcquireRequest,
    timeoutMs: number,
    awaited: Awaited | undefined,
  ): Promise<AcquireReply | LatchWaitReply>
}

/** What acquisitions need of their client; `A` is what the caller gets once the lock is acquired. */
export interface AcquisitionDeps<A> {
  readonly session: Requests
  /** Only with `minReplicas`. */
  readonly confirmer: Confirmer | undefined
  readonly settings: {
    readonly clientId: string
    readonly engine: string
    /** How messages name the store. */
    readonly storeName: string
    readonly watchdogTimeoutMs: number
    readonly commandTimeoutMs: number
    readonly maxWaiters: number
    readonly marginMs: number
    /** Whether waiters poll instead of being notified. */
    readonly polls: boolean
  }
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>
  readonly waiters: WaiterTable
  readonly abandonment: Pick<Abandonment, 'abandon'>
  readonly proofs: Pick<Proofs, 'of'>
  nextOwner(): number
  /** The last error that the engine reported by itself since that instant. */
  lastErrorSince(at: number): HoldfastError | undefined
  /** Runs the client's first-use checks; `undefined` once they have passed. */
  ready(address: Address): Promise<void> | undefined
  admit(grant: Grant, request: Request, waitedMs: number): A
  /** What the caller gets once the latch is open. Only for latches. */
  pass?(generation: number): A
}
