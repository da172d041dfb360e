import type { Inspection, SharedInspection } from '../../engine/replies.js'
import type {
  AcquireRequest,
  JointRequest,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import { numberAt, textAt } from '../reply.js'
import { lockScripts } from '../scripts/generated.js'

/** A queue entry whose keys are known. */
export interface RedisQueueEntry extends QueueEntry {
  readonly address: Keys
}

/** A hold to renew whose keys are known. */
export interface RedisRenewal extends Renewal {
  readonly address: Keys
}

/** A request for several locks whose keys are known. */
export interface RedisJointRequest extends JointRequest {
  readonly locks: readonly { readonly address: Keys; readonly owner: string }[]
}

/** The script calls of one kind of object. Their replies have the same forms, but for that of `inspect`. */
export interface Calls {
  acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  /** Only where no one else makes tokens. */
  raiseToken?(keys: Keys, token: number, keepMs: number): ScriptCall
  /** Gives up the hold and the queue entry, or some of the permits. */
  release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  /** Whether `setCount` serves this request in place of `acquire`. */
  setsCount?(request: AcquireRequest): boolean
  /** Enters a hold again, or leaves it without releasing it. Only of objects that count entries. */
  setCount?(keys: Keys, owner: string, count: number, leaseMs: number): ScriptCall
  /** @param inbox - of the client of `owner` */
  force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall
  /** Only of objects that have a size. */
  resize?(keys: Keys, request: ResizeRequest, tokenFloor: string): ScriptCall
  renew(renewals: readonly RedisRenewal[]): ScriptCall
  refresh(entries: readonly RedisQueueEntry[]): ScriptCall
  inspect(keys: Keys, limit: number): ScriptCall
  readInspection(reply: readonly unknown[]): Inspection | SharedInspection
}

/** The keys of a lock, in the order that the scripts want. */
export const keyList = ({ main, queue, waiters, fence }: Keys): string[] => [main, queue, waiters, fence]

/**
 * The queue entry that a request wants, as far as the client knows it; `''` for none.
 *
 * @param inboxesCanBeCounted - whether the server knows all subscribers of a channel; a cluster node does not
 */
export const waitingOf = (
  { entryTtlMs, grantLeaseMs, proof }: AcquireRequest,
  inbox: string,
  inboxesCanBeCounted: boolean,
): string =>
  entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} ${inboxesCanBeCounted ? 1 : 0} ${proof} ${inbox}` : ''

/** What a release sends last if late requests of its owner are to be refused. */
export const tombstoneOf = ({ tombstoneMs }: ReleaseRequest): number[] =>
  tombstoneMs > 0 ? [tombstoneMs] : []

/** The calls of a lock that do not depend on who shares it. */
export abstract class LockCalls implements Calls {
  /** Whether a hold without a token may get one when it is entered again. */
  abstract readonly drawsTokenOnReentry: boolean
  abstract acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  abstract release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  abstract force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall

  setsCount({ count, wantsToken }: AcquireRequest): boolean {
    return count > 1 && !(wantsToken && this.drawsTokenOnReentry)
  }

  setCount({ main }: Keys, owner: string, count: number, leaseMs: number): ScriptCall {
    return { script: lockScripts.lockSetCount, keys: [main], args: [owner, count, leaseMs] }
  }

  renew(renewals: readonly RedisRenewal[]): ScriptCall {
    const keys = renewals.map(({ address: { main } }) => main)
    const args = renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
    return { script: lockScripts.lockRenew, keys, args }
  }

  refresh(entries: readonly RedisQueueEntry[]): ScriptCall {
    const keys = entries.flatMap(({ address: { main, queue, waiters } }) => [main, queue, waiters])
    const args = entries.flatMap(({ owner, entryTtlMs }) => [owner, entryTtlMs])
    return { script: lockScripts.lockRefresh, keys, args }
  }

  inspect(keys: Keys, limit: number): ScriptCall {
    return { script: lockScripts.lockInspect, keys: keyList(keys), args: [limit] }
  }

  readInspection(reply: readonly unknown[]): Inspection {
    const waiters = []
    for (let i = 5; i < reply.length; i += 2) {
      waiters.push({ owner: textAt(reply, i), aliveMs: numberAt(reply, i + 1) })
    }
    return {
      kind: 'lock',
      ttlMs: numberAt(reply, 0),
      owner: textAt(reply, 1),
      count: numberAt(reply, 2),
      token: numberAt(reply, 3),
      waiterCount: numberAt(reply, 4),
      waiters,
    }
  }
}

/** A lock among Holdfast clients: a release makes the first waiter the holder. */
export class NativeCalls extends LockCalls {
  readonly drawsTokenOnReentry = false
  readonly #inboxesCanBeCounted: boolean

  constructor(inboxesCanBeCounted: boolean) {
    super()
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall {
    const { owner, leaseMs, heir } = request
    if (heir !== undefined) {
      const args = [owner, leaseMs, tokenFloor, heir]
      return { script: lockScripts.lockTakeOver, keys: keyList(keys), args }
    }
    const waiting = waitingOf(request, inbox, this.#inboxesCanBeCounted)
    const args = [owner, leaseMs, tokenFloor, waiting]
    return { script: lockScripts.lockAcquire, keys: keyList(keys), args }
  }

  raiseToken({ fence }: Keys, token: number, keepMs: number): ScriptCall {
    return { script: lockScripts.clientRaiseFence, keys: [fence], args: [token, keepMs] }
  }

  release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall {
    const { owner, tombstoneMs, keepMs, heir } = request
    const ends = keepMs === undefined ? tombstoneOf(request) : [tombstoneMs > 0 ? tombstoneMs : '', keepMs]
    const args = [owner, tokenFloor, ...ends]
    if (heir !== undefined) args.push(heir)
    return { script: lockScripts.lockRelease, keys: keyList(keys), args }
  }

  force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall {
    return { script: lockScripts.lockForce, keys: keyList(keys), args: [owner, inbox, tokenFloor] }
  }
}
