import type { AcquireRequest, ReleaseRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { LockKeys } from '../keys.js'
import { keysOf, tombstoneOf, waitingOf } from '../kinds/lock.js'
import type { LockCalls } from '../kinds/lock.js'
import { scripts } from '../scripts/generated.js'
import { releaseChannelOf } from './names.js'

/** A lock that is shared with Redisson: a release announces it, and gives our first waiter a turn to request it. */
export class RedissonCalls implements LockCalls {
  /** Redisson's clients listen to either kind of channel, never to both. */
  publish: 'PUBLISH' | 'SPUBLISH' = 'PUBLISH'
  readonly drawsTokenOnReentry = true
  readonly #inboxesCanBeCounted: boolean

  constructor(inboxesCanBeCounted: boolean) {
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: LockKeys, request: AcquireRequest, inbox: string): ScriptCall {
    const { owner, count, leaseMs, wantsToken } = request
    const waiting = waitingOf(request, inbox, this.#inboxesCanBeCounted)
    const args = [owner, count, leaseMs, waiting, wantsToken ? 1 : 0]
    return { script: scripts.redissonLockAcquire, keys: keysOf(keys), args }
  }

  release({ lock, queue, waiters }: LockKeys, request: ReleaseRequest): ScriptCall {
    const args = [request.owner, this.publish, releaseChannelOf(lock), ...tombstoneOf(request)]
    return { script: scripts.redissonLockRelease, keys: [lock, queue, waiters], args }
  }

  force({ lock, queue, waiters }: LockKeys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, this.publish, releaseChannelOf(lock)]
    return { script: scripts.redissonLockForce, keys: [lock, queue, waiters], args }
  }
}
