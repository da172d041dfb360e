import type { SharedInspection } from '../../engine/replies.js'
import type { AcquireRequest, ReleaseRequest, ResizeRequest } from '../../engine/requests.js'
import { CarriedSteps } from '../carried-steps.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import { numberAt, textAt } from '../reply.js'
import { sharedScripts } from '../scripts/generated.js'
import { tombstoneOf, type Calls, type RedisQueueEntry, type RedisRenewal } from './lock.js'

/** The keys of a read/write lock or semaphore, in the order that the scripts want. */
const keyList = ({ main, ends, queue, waiters, fence, size }: Keys): string[] => [
  main,
  ends,
  queue,
  waiters,
  fence,
  size,
]

/** Objects that several owners hold at once, each with some of the permits: read/write locks and semaphores. */
export class SharedCalls implements Calls {
  readonly #inboxesCanBeCounted: boolean

  /** @param inboxesCanBeCounted - whether the server knows all subscribers of a channel; a cluster node does not */
  constructor(inboxesCanBeCounted: boolean) {
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall {
    const { owner, count, leaseMs, size = count } = request
    const args = [owner, count, leaseMs, tokenFloor, this.#waitingOf(request, inbox), size]
    return { script: sharedScripts.sharedAcquire, keys: keyList(keys), args }
  }

  release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall {
    const args = [request.owner, request.count, tokenFloor, ...tombstoneOf(request)]
    return { script: sharedScripts.sharedRelease, keys: keyList(keys), args }
  }

  force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall {
    return { script: sharedScripts.sharedForce, keys: keyList(keys), args: [owner, inbox, tokenFloor] }
  }

  resize(keys: Keys, { size, keepMs, version, id }: ResizeRequest, tokenFloor: string): ScriptCall {
    const args = [size, keepMs, version, id, tokenFloor]
    return { script: sharedScripts.sharedResize, keys: keyList(keys), args }
  }

  renew(renewals: readonly RedisRenewal[]): ScriptCall {
    const keys = renewals.flatMap(({ address: { main, ends } }) => [main, ends])
    const args = renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
    return { script: sharedScripts.sharedRenew, keys, args }
  }

  refresh(entries: readonly RedisQueueEntry[]): ScriptCall {
    const keys = entries.flatMap(({ address: { main, ends, queue, waiters, size } }) => [
      main,
      ends,
      queue,
      waiters,
      size,
    ])
    const args = entries.flatMap(({ owner, entryTtlMs }) => [owner, entryTtlMs])
    return { script: sharedScripts.sharedRefresh, keys, args }
  }

  inspect(keys: Keys, limit: number): ScriptCall {
    return { script: sharedScripts.sharedInspect, keys: keyList(keys), args: [limit] }
  }

  readInspection(reply: readonly unknown[]): SharedInspection {
    const firstWaiter = 7 + 3 * numberAt(reply, 6)
    const holders = readTriples(reply.slice(0, firstWaiter), 7)
    const waiters = readTriples(reply, firstWaiter)
    return {
      kind: 'shared',
      size: numberAt(reply, 0),
      version: numberAt(reply, 1),
      used: numberAt(reply, 2),
      holderCount: numberAt(reply, 3),
      holders: holders.map(({ owner, permits, ms }) => ({ owner, permits, ttlMs: ms })),
      token: numberAt(reply, 4),
      waiterCount: numberAt(reply, 5),
      waiters: waiters.map(({ owner, permits, ms }) => ({ owner, permits, aliveMs: ms })),
    }
  }

  /** The queue entry that a request wants, as far as the client knows it; `''` for none. */
  #waitingOf(
    { entryTtlMs, grantLeaseMs, proof, count, size = count }: AcquireRequest,
    inbox: string,
  ): string {
    if (entryTtlMs === 0) return ''
    const isChecked = this.#inboxesCanBeCounted ? 1 : 0
    return `${entryTtlMs} ${grantLeaseMs} ${isChecked} ${count} ${size} ${proof} ${inbox}`
  }
}

function readTriples(reply: readonly unknown[], from: number) {
  const triples = []
  for (let i = from; i < reply.length; i += 3) {
    triples.push({ owner: textAt(reply, i), permits: numberAt(reply, i + 1), ms: numberAt(reply, i + 2) })
  }
  return triples
}

/** What semaphores and read/write locks bring along. */
export const sharedSteps = /* @__PURE__ */ new CarriedSteps(
  Object.values(sharedScripts),
  ({ steps, isSingle }) => steps.carry({ shared: new SharedCalls(isSingle) }),
)
