import type { AcquireRequest, ReleaseRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { LockKeys } from '../keys.js'
import { scripts } from '../scripts/generated.js'

/** The calls that pass a lock on: which waiters may enter a free lock, and which are notified, depends on who shares it. */
export interface LockCalls {
  /** Whether a hold without a token may get one when it is entered again. */
  readonly drawsTokenOnReentry: boolean
  acquire(keys: LockKeys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  /** Gives up the hold and the queue entry. */
  release(keys: LockKeys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  /** @param inbox - of the client of `owner` */
  force(keys: LockKeys, owner: string, inbox: string, tokenFloor: string): ScriptCall
}

/** All keys of a lock, in the order that the scripts want. */
export const keysOf = ({ lock, queue, waiters, fence }: LockKeys): string[] => [lock, queue, waiters, fence]

/**
 * The queue entry that a request wants, as far as the client knows it; `''` for none.
 *
 * @param inboxesCanBeCounted - whether the server knows all subscribers of a channel; a cluster node does not
 */
export const waitingOf = (
  { entryTtlMs, grantLeaseMs }: AcquireRequest,
  inbox: string,
  inboxesCanBeCounted: boolean,
): string => (entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} ${inboxesCanBeCounted ? 1 : 0} ${inbox}` : '')

/** What a release sends last if late requests of its owner are to be refused. */
export const tombstoneOf = ({ tombstoneMs }: ReleaseRequest): number[] =>
  tombstoneMs > 0 ? [tombstoneMs] : []

/** A lock among Holdfast clients: a release makes the first waiter the holder. */
export class NativeCalls implements LockCalls {
  readonly drawsTokenOnReentry = false
  readonly #inboxesCanBeCounted: boolean

  constructor(inboxesCanBeCounted: boolean) {
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: LockKeys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall {
    const waiting = waitingOf(request, inbox, this.#inboxesCanBeCounted)
    const args = [request.owner, request.leaseMs, tokenFloor, waiting]
    return { script: scripts.lockAcquire, keys: keysOf(keys), args }
  }

  release(keys: LockKeys, request: ReleaseRequest, tokenFloor: string): ScriptCall {
    const args = [request.owner, tokenFloor, ...tombstoneOf(request)]
    return { script: scripts.lockRelease, keys: keysOf(keys), args }
  }

  force(keys: LockKeys, owner: string, inbox: string, tokenFloor: string): ScriptCall {
    return { script: scripts.lockForce, keys: keysOf(keys), args: [owner, inbox, tokenFloor] }
  }
}
