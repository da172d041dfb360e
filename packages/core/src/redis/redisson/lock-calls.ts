import type { AcquireRequest, ReleaseRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import { keyList, LockCalls, tombstoneOf, waitingOf } from '../kinds/lock.js'
import { scripts } from './generated.js'
import { releaseChannelOf } from './names.js'
import type { Publishing } from './publishing.js'

/** A lock that is shared with Redisson: a release announces it, and gives our first waiter a turn to request it. */
export class RedissonLockCalls extends LockCalls {
  readonly drawsTokenOnReentry = true
  readonly #inboxesCanBeCounted: boolean
  readonly #publishing: Publishing

  constructor(inboxesCanBeCounted: boolean, publishing: Publishing) {
    super()
    this.#publishing = publishing
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: Keys, request: AcquireRequest, inbox: string): ScriptCall {
    const { owner, count, leaseMs, wantsToken } = request
    const waiting = waitingOf(request, inbox, this.#inboxesCanBeCounted)
    const args = [owner, count, leaseMs, waiting, wantsToken ? 1 : 0]
    return { script: scripts.redissonLockAcquire, keys: keyList(keys), args }
  }

  release({ main, queue, waiters }: Keys, request: ReleaseRequest): ScriptCall {
    const args = [request.owner, this.#publishing.command, releaseChannelOf(main), ...tombstoneOf(request)]
    return { script: scripts.redissonLockRelease, keys: [main, queue, waiters], args }
  }

  force({ main, queue, waiters }: Keys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, this.#publishing.command, releaseChannelOf(main)]
    return { script: scripts.redissonLockForce, keys: [main, queue, waiters], args }
  }
}
