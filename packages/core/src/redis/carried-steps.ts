import type {
  CountDownRequest,
  LatchDeleteRequest,
  LatchInspection,
  LatchReply,
  LatchSession,
  LatchSetRequest,
  LatchState,
  LatchWait,
  LatchWaitReply,
} from '../engine/latch.js'
import type { JointReply, NotALockReply } from '../engine/requests.js'
import {
  fenceBeyond,
  keyList,
  notALockReply,
  readBusy,
  tombstoneOf,
  togetherOrSingly,
  type Calls,
  type RedisCommands,
  type RedisCommandsOptions,
  type RedisJointRequest,
} from './commands.js'
import type { ScriptCall, ScriptRunner } from './connection/script-connection.js'
import { clientOfInbox, type Keys } from './keys.js'
import { asList, notUnderstood, numberAt, textAt } from './errors.js'
import { latchScripts, multiScripts, sharedScripts } from './scripts/generated.js'
import type { ServerIdentity } from './server-identity.js'
import { CarriedSteps, type RedisSession } from './session.js'

/** The keys of a read/write lock or semaphore, in the order that the scripts want. */
const sharedKeys = ({ main, ends, queue, waiters, fence, size }: Keys): string[] => [
  main,
  ends,
  queue,
  waiters,
  fence,
  size,
]

/**
 * Objects that several owners hold at once, each with some of the permits: read/write locks and semaphores.
 *
 * @param countsInboxes - whether the server knows all subscribers of a channel; a cluster node does not
 */
export const sharedCalls = (countsInboxes: boolean): Calls => ({
  acquire(keys, request, inbox, floor) {
    const { owner, count, leaseMs, entryTtlMs, grantLeaseMs, proof, size = count } = request
    const entry = `${entryTtlMs} ${grantLeaseMs} ${countsInboxes ? 1 : 0} ${count} ${size} ${proof} ${inbox}`
    const args = [owner, count, leaseMs, floor, entryTtlMs > 0 ? entry : '', size]
    return { script: sharedScripts.sharedAcquire, keys: sharedKeys(keys), args }
  },

  release(keys, request, floor) {
    const args = [request.owner, request.count, floor, ...tombstoneOf(request)]
    return { script: sharedScripts.sharedRelease, keys: sharedKeys(keys), args }
  },

  force: (keys, owner, inbox, floor) => ({
    script: sharedScripts.sharedForce,
    keys: sharedKeys(keys),
    args: [owner, inbox, floor],
  }),

  resize: (keys, { size, keepMs, version, id }, floor) => ({
    script: sharedScripts.sharedResize,
    keys: sharedKeys(keys),
    args: [size, keepMs, version, id, floor],
  }),

  renew: (renewals) => ({
    script: sharedScripts.sharedRenew,
    keys: renewals.flatMap(({ address: { main, ends } }) => [main, ends]),
    args: renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs]),
  }),

  refresh(entries) {
    const keys = entries.flatMap(({ address: { main, ends, queue, waiters, size } }) => {
      return [main, ends, queue, waiters, size]
    })
    const args = entries.flatMap(({ owner, entryTtlMs }) => [owner, entryTtlMs])
    return { script: sharedScripts.sharedRefresh, keys, args }
  },

  inspect: (keys, limit) => ({
    script: sharedScripts.sharedInspect,
    keys: sharedKeys(keys),
    args: [limit],
  }),

  readInspection(reply) {
    const firstWaiter = 7 + 3 * numberAt(reply, 6)
    const holders = readTriples(reply, 7, firstWaiter)
    const waiters = readTriples(reply, firstWaiter, reply.length)
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
  },
})

export function readTriples(reply: readonly unknown[], from: number, to: number) {
  const triples = []
  for (let i = from; i < to; i += 3) {
    triples.push({ owner: textAt(reply, i), permits: numberAt(reply, i + 1), ms: numberAt(reply, i + 2) })
  }
  return triples
}

export const sharedSteps = /* @__PURE__ */ new CarriedSteps(sharedScripts, ({ steps, isSingle }) =>
  steps.carry({ shared: sharedCalls(isSingle) }),
)

/** What multi locks bring along: several locks of one slot in one command. */
export const multiSteps = /* @__PURE__ */ new CarriedSteps(multiScripts, ({ steps, permitted }) =>
  acquireManyBy(steps, permitted),
)

/** Has these steps acquire several locks, by this connection. */
export function acquireManyBy(steps: RedisCommands, connection: RedisCommandsOptions['connection']): void {
  steps.acquireMany = (request, timeoutMs) =>
    connection.run(jointCallOf(request, steps), (given, call) => readJoint(given, call, steps), timeoutMs)
}

function jointCallOf({ locks, mode, leaseMs }: RedisJointRequest, steps: RedisCommands): ScriptCall {
  const keys = locks.flatMap(({ address }) => keyList(address))
  const args = [mode, leaseMs, ...locks.flatMap(({ address, owner }) => [owner, steps.floorOf(address)])]
  return { script: multiScripts.multiAcquire, keys, args }
}

function readJoint(given: unknown, { keys }: ScriptCall, steps: RedisCommands): JointReply {
  const reply = asList(given)
  if (reply[0] === -2) return { kind: 'abandoned' }
  if (reply[0] === -3) {
    const index = numberAt(reply, 2) - 1
    return { ...notALockReply(keys[4 * index] ?? '', textAt(reply, 1)), index }
  }
  if (reply[0] === -4) {
    const index = numberAt(reply, 3) - 1
    return { ...fenceBeyond(textAt(reply, 1), textAt(reply, 2)), index }
  }
  const first = reply.length > 0 ? textAt(reply, 0) : ''
  const nEnd = first.indexOf(' ')
  const texts = nEnd < 0 ? reply : reply.slice(1)
  const tokens = texts.map((_, i) => steps.readHeld(keys[4 * i] ?? '', textAt(texts, i)).token)
  if (nEnd < 0) return { kind: 'entered', tokens }
  const index = Number(first.slice(0, nEnd)) - 1
  return { kind: 'entered', tokens, busy: { index, reply: readBusy(first.slice(nEnd + 1)) } }
}

export interface RedisLatchWait extends LatchWait {
  readonly address: Keys
}

/** The keys of a latch, in the order that the scripts want. */
const latchKeys = ({ main, counted, waiters }: Keys): string[] => [main, counted, waiters]

/** The script calls of latches. Replies have the same form whether or not a latch is shared with Redisson. */
export interface LatchCalls {
  /** @param server - the `run_id` of the server; '' when it is not known */
  set(keys: Keys, request: LatchSetRequest, server: string): ScriptCall
  countDown(keys: Keys, request: CountDownRequest): ScriptCall
  wait(waits: readonly RedisLatchWait[], inbox: string): ScriptCall
  delete(keys: Keys, request: LatchDeleteRequest): ScriptCall
  inspect(keys: Keys, limit: number): ScriptCall
}

/** Latches among Holdfast clients. */
export const nativeLatchCalls: LatchCalls = {
  set: ({ main, counted }, { named, setter, count, keepMs }, server) => ({
    script: latchScripts.latchSet,
    keys: [main, counted],
    args: [named, setter, count, keepMs, server],
  }),

  countDown(keys, { named, party }) {
    return { script: latchScripts.latchCountDown, keys: latchKeys(keys), args: [named, party] }
  },

  wait(waits, inbox) {
    const keys = waits.flatMap(({ address }) => latchKeys(address))
    const args = waits.flatMap(({ awaited, aliveMs }) => [
      awaited?.generation ?? 0,
      awaited?.isBound === true ? 1 : 0,
      aliveMs,
      inbox,
    ])
    return { script: latchScripts.latchWait, keys, args }
  },

  delete(keys, { named, tombstoneMs }) {
    return { script: latchScripts.latchDelete, keys: latchKeys(keys), args: [named, tombstoneMs] }
  },

  inspect(keys, limit) {
    return { script: latchScripts.latchInspect, keys: latchKeys(keys), args: [limit] }
  },
}

function readStep(
  given: unknown,
  { keys: [latch = ''] }: ScriptCall,
  onNoticeError: (error: string) => void,
): LatchReply | NotALockReply {
  const reply = asList(given)
  if (numberAt(reply, 0) === -3) return notALatch(latch, textAt(reply, 1))
  const noticeError = textAt(reply, 6)
  if (noticeError !== '') onNoticeError(noticeError)
  return { kind: numberAt(reply, 0) === 1 ? 'done' : 'other', state: stateOf(reply) }
}

function readLatchWaits(given: unknown, { keys }: ScriptCall): LatchWaitReply[] {
  const reply = asList(given)
  const count = reply.length / 2
  return Array.from({ length: count }, (_, i) => {
    const code = numberAt(reply, 2 * i)
    if (code === -3) return notALatch(keys[(keys.length / count) * i] ?? '', textAt(reply, 2 * i + 1))
    const generation = numberAt(reply, 2 * i + 1)
    switch (code) {
      case 1:
        return { kind: 'passed', generation }
      case 0:
      case 2:
        return { kind: 'closed', awaited: { generation, isBound: code === 2 } }
      case -1:
        return { kind: 'gone' }
      default:
        throw notUnderstood('the code of a wait', code)
    }
  })
}

function readLatch(given: unknown, { keys: [latch = ''] }: ScriptCall): LatchInspection | NotALockReply {
  const reply = asList(given)
  if (numberAt(reply, 0) === -3) return notALatch(latch, textAt(reply, 1))
  const ttlMs = numberAt(reply, 8)
  return {
    kind: 'latch',
    state: stateOf(reply),
    count: numberAt(reply, 7),
    ttlMs: ttlMs === -1 ? Infinity : ttlMs,
    waiterCount: numberAt(reply, 9),
    parties: asList(reply[10]).map(String),
    waiters: asList(reply[11]).map((inbox) => clientOfInbox(String(inbox))),
  }
}

const stateOf = (reply: readonly unknown[]): LatchState => ({
  generation: numberAt(reply, 1),
  first: numberAt(reply, 2),
  opened: numberAt(reply, 3),
  left: numberAt(reply, 4),
  previous: numberAt(reply, 5),
})

const notALatch = (key: string, type: string): NotALockReply => ({
  kind: 'not-a-lock',
  reason: `the key ${key} holds a ${type === 'hash' ? 'hash of something else' : type}; nothing was changed. Use another name or prefix, or remove the key`,
})

export interface RedisLatchesOptions {
  readonly connection: ScriptRunner
  readonly calls: LatchCalls
  readonly servers: Pick<ServerIdentity, 'known' | 'runId' | 'isRefused'>
  readonly inbox: string
  /** The step was carried out, but Redis refused to publish its notification. */
  onNoticeError(error: string): void
}

export class RedisLatches implements LatchSession {
  readonly #options: RedisLatchesOptions

  constructor(options: RedisLatchesOptions) {
    this.#options = options
  }

  /** A restarted or failed-over server has another `run_id`, by which the script knows that it may have lost something. */
  async set(keys: Keys, request: LatchSetRequest, timeoutMs: number): Promise<LatchReply | NotALockReply> {
    const { calls, servers } = this.#options
    const known = servers.known(keys.main)
    const server = known ?? (servers.isRefused ? undefined : await servers.runId(keys.main))
    return this.#step(calls.set(keys, request, server ?? ''), timeoutMs)
  }

  countDown(keys: Keys, request: CountDownRequest, timeoutMs: number): Promise<LatchReply | NotALockReply> {
    return this.#step(this.#options.calls.countDown(keys, request), timeoutMs)
  }

  wait(waits: readonly RedisLatchWait[], timeoutMs: number): Promise<readonly LatchWaitReply[]> {
    const { calls, connection, inbox } = this.#options
    return togetherOrSingly(waits, (batch) =>
      connection.run(calls.wait(batch, inbox), readLatchWaits, timeoutMs),
    )
  }

  delete(keys: Keys, request: LatchDeleteRequest, timeoutMs: number): Promise<LatchReply | NotALockReply> {
    return this.#step(this.#options.calls.delete(keys, request), timeoutMs)
  }

  inspect(keys: Keys, limit: number): Promise<LatchInspection | NotALockReply> {
    const { calls, connection } = this.#options
    return connection.run(calls.inspect(keys, limit), readLatch)
  }

  #step(call: ScriptCall, timeoutMs: number): Promise<LatchReply | NotALockReply> {
    const onNoticeError = (error: string): void => this.#options.onNoticeError(error)
    return this.#options.connection.run(
      call,
      (reply, sent) => readStep(reply, sent, onNoticeError),
      timeoutMs,
    )
  }
}

/** Latches whose steps are these. */
export const latchesOf = (session: RedisSession, calls: LatchCalls): RedisLatches => {
  const { permitted: connection, servers, channel: inbox } = session
  return new RedisLatches({
    connection,
    calls,
    servers,
    inbox,
    onNoticeError: (error) => session.onNoticeError(error),
  })
}

export const latchSteps = /* @__PURE__ */ new CarriedSteps(latchScripts, (session) => {
  session.latches = latchesOf(session, nativeLatchCalls)
})
