import type { AcquireRequest, ReleaseRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { LockKeys } from '../keys.js'
import { scripts } from '../scripts/generated.js'

/** The calls that pass a lock on: which waiters may enter a free lock, and which are notified, depends on who shares it. */
export interface LockCalls {
  acquire(keys: LockKeys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  release(keys: LockKeys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  /** @param inbox - of the client of `owner` */
  force(keys: LockKeys, owner: string, inbox: string, tokenFloor: string): ScriptCall
}

/** All keys of a lock, in the order that the scripts want. */
export const keysOf = ({ lock, queue, waiters, fence }: LockKeys): string[] => [lock, queue, waiters, fence]

/** A lock among Holdfast clients: a release makes the first waiter the holder. */
export class NativeCalls implements LockCalls {
  readonly #checkInbox: number

  /** @param inboxesCanBeCounted - whether the server knows all subscribers of a channel; a cluster node does not */
  constructor(inboxesCanBeCounted: boolean) {
    this.#checkInbox = inboxesCanBeCounted ? 1 : 0
  }

  acquire(keys: LockKeys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall {
    const { owner, count, leaseMs, entryTtlMs, grantLeaseMs } = request
    const args = [owner, count, leaseMs, entryTtlMs, grantLeaseMs, inbox, tokenFloor, this.#checkInbox]
    return { script: scripts.lockAcquire, keys: keysOf(keys), args }
  }

  release(keys: LockKeys, { owner, count, tombstoneMs }: ReleaseRequest, tokenFloor: string): ScriptCall {
    const args = [owner, count, tombstoneMs, tokenFloor, this.#checkInbox]
    return { script: scripts.lockRelease, keys: keysOf(keys), args }
  }

  force(keys: LockKeys, owner: string, inbox: string, tokenFloor: string): ScriptCall {
    const args = [owner, inbox, tokenFloor, this.#checkInbox]
    return { script: scripts.lockForce, keys: keysOf(keys), args }
  }
}
