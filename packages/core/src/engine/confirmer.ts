import type { Moment } from '../util/clock.js'
import type { ReplicationError } from '../errors/errors.js'
import type { AcquireReply } from './replies.js'
import type { AcquireRequest, Address } from './requests.js'

/** A repeated acquire request, and whether enough replicas had it in time. */
export interface Confirmation {
  readonly reply: AcquireReply
  readonly sentAt: Moment
  readonly leaseMs: number
  /** How many replicas acknowledged it. */
  readonly acknowledged: number
  /** How many were connected, if that is known. */
  readonly connected: number | undefined
}

/** Has replicas confirm a grant before its lease is handed out. */
export interface Confirmer {
  /** Like the session's, for the connections used here. */
  readonly connectionEpoch: number
  /** How many replicas must acknowledge a grant. */
  readonly wanted: number
  /**
   * Repeats the request of a granted owner and waits for replicas to acknowledge it.
   *
   * @param next - makes the request when it is sent, since it may have to wait in line; `null`: no longer wanted
   */
  confirm(address: Address, next: () => AcquireRequest | null): Promise<Confirmation>
  /** The error that says why a hold was released again. */
  shortfall(address: Address, owner: string, what: Confirmation | 'wait ended'): ReplicationError
}
