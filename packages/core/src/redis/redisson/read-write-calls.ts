import { writePermits } from '../../engine/permits.js'
import type { SharedInspection } from '../../engine/replies.js'
import type { AcquireRequest, ReleaseRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import type { Calls, RedisQueueEntry, RedisRenewal } from '../kinds/calls.js'
import { tombstoneOf } from '../kinds/lock.js'
import { numberAt, textAt } from '../reply.js'
import { scripts } from './generated.js'
import { holdKeyOf, holdSlotOf, readWriteChannelOf } from './names.js'
import type { Publishing } from './publishing.js'

/** The keys that are about one owner, in the order that the scripts want. */
const keyList = ({ id, main }: Keys, owner: string): string[] => [
  main,
  holdKeyOf(main, owner),
  `${id}:gone:${owner}`,
]

/**
 * A read/write lock that is shared with Redisson: its form has neither a queue nor tokens, so all that wait compete once a
 * release was announced.
 */
export class RedissonReadWriteCalls implements Calls {
  readonly #publishing: Publishing

  constructor(publishing: Publishing) {
    this.#publishing = publishing
  }

  acquire(keys: Keys, request: AcquireRequest): ScriptCall {
    const { owner, count, leaseMs, entryTtlMs } = request
    const side = count === writePermits ? 'write' : 'read'
    const args = [owner, side, leaseMs, entryTtlMs > 0 ? 1 : 0]
    return { script: scripts.redissonReadWriteAcquire, keys: keyList(keys, owner), args }
  }

  release(keys: Keys, request: ReleaseRequest): ScriptCall {
    const { owner, count } = request
    const args = [owner, count, ...this.#announcement(keys), ...tombstoneOf(request)]
    return { script: scripts.redissonReadWriteRelease, keys: keyList(keys, owner), args }
  }

  force(keys: Keys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, ...this.#announcement(keys)]
    return { script: scripts.redissonReadWriteForce, keys: [keys.main], args }
  }

  renew(renewals: readonly RedisRenewal[]): ScriptCall {
    const keys = renewals.flatMap(({ address: { main }, owner }) => [main, holdKeyOf(main, owner)])
    const args = renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
    return { script: scripts.redissonReadWriteRenew, keys, args }
  }

  refresh(entries: readonly RedisQueueEntry[]): ScriptCall {
    const keys = entries.map(({ address: { main } }) => main)
    const args = entries.map(({ owner }) => owner)
    return { script: scripts.redissonReadWriteRefresh, keys, args }
  }

  inspect({ main }: Keys, limit: number): ScriptCall {
    return { script: scripts.redissonReadWriteInspect, keys: [main], args: [holdSlotOf(main), limit] }
  }

  readInspection(reply: readonly unknown[]): SharedInspection {
    const permits = textAt(reply, 1) === 'write' ? writePermits : 1
    const holders = []
    for (let i = 2; i < reply.length; i += 2) {
      holders.push({ owner: textAt(reply, i), permits, ttlMs: numberAt(reply, i + 1) })
    }
    const holderCount = numberAt(reply, 0)
    const used = permits * holderCount
    return {
      kind: 'shared',
      size: 0,
      version: 0,
      used,
      holderCount,
      holders,
      token: 0,
      waiterCount: 0,
      waiters: [],
    }
  }

  #announcement({ main }: Keys): string[] {
    return [holdSlotOf(main), this.#publishing.command, readWriteChannelOf(main)]
  }
}
