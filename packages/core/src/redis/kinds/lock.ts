import type { LockKeys } from '../keys.js'
import { scripts } from '../scripts/generated.js'
import type { ScriptCall } from '../connection/script-connection.js'

/** What one ask wants; times in milliseconds. */
export interface Ask {
  readonly owner: string
  /** The hold count wanted: 1 to get in, more to re-enter. */
  readonly count: number
  readonly leaseMs: number
  /** How long a place in the queue stays alive; 0: do not queue. */
  readonly placeMs: number
  /** The lease of a hold that is granted to the place. */
  readonly grantLeaseMs: number
  readonly inbox: string
  /** Whether the hold is to have a fencing token and has none yet. A native hold always has one. */
  readonly wantsToken: boolean
}

/** What one release wants. */
export interface ReleaseWish {
  readonly owner: string
  /** The hold count wanted; 0 gives up hold and place. */
  readonly count: number
  /** How long late asks of this owner are refused, milliseconds. */
  readonly goneMs: number
}

/** The calls that pass a lock on: who may enter a free lock, and who is told, differs with who shares it. */
export interface LockCalls {
  acquire(keys: LockKeys, ask: Ask, tokenFloor: string): ScriptCall
  release(keys: LockKeys, wish: ReleaseWish, tokenFloor: string): ScriptCall
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

  acquire(keys: LockKeys, ask: Ask, tokenFloor: string): ScriptCall {
    const { owner, count, leaseMs, placeMs, grantLeaseMs, inbox } = ask
    const args = [owner, count, leaseMs, placeMs, grantLeaseMs, inbox, tokenFloor, this.#checkInbox]
    return { script: scripts.lockAcquire, keys: keysOf(keys), args }
  }

  release(keys: LockKeys, { owner, count, goneMs }: ReleaseWish, tokenFloor: string): ScriptCall {
    const args = [owner, count, goneMs, tokenFloor, this.#checkInbox]
    return { script: scripts.lockRelease, keys: keysOf(keys), args }
  }

  force(keys: LockKeys, owner: string, inbox: string, tokenFloor: string): ScriptCall {
    const args = [owner, inbox, tokenFloor, this.#checkInbox]
    return { script: scripts.lockForce, keys: keysOf(keys), args }
  }
}
