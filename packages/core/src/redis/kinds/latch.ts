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
} from '../../engine/latch.js'
import type { NotALockReply } from '../../engine/replies.js'
import { CarriedSteps, type Carrier } from '../carried-steps.js'
import { togetherOrSingly } from '../commands.js'
import type { ScriptCall, ScriptRunner } from '../connection/script-connection.js'
import { clientOfInbox, type Keys } from '../keys.js'
import { asList, notUnderstood, numberAt, textAt } from '../reply.js'
import { latchScripts } from '../scripts/generated.js'
import type { ServerIdentity } from '../server-identity.js'

/** A wait whose keys are known. */
export interface RedisLatchWait extends LatchWait {
  readonly address: Keys
}

/** The keys of a latch, in the order that the scripts want. */
const keyList = ({ main, counted, waiters }: Keys): string[] => [main, counted, waiters]

/** The script calls of latches. Their replies have the same forms, whoever shares them. */
export interface LatchCalls {
  /** @param server - the `run_id` of the server; '' when it is not known */
  set(keys: Keys, request: LatchSetRequest, server: string): ScriptCall
  countDown(keys: Keys, request: CountDownRequest): ScriptCall
  /** @param inbox - of this client */
  wait(waits: readonly RedisLatchWait[], inbox: string): ScriptCall
  delete(keys: Keys, request: LatchDeleteRequest): ScriptCall
  inspect(keys: Keys, limit: number): ScriptCall
}

/** Latches among Holdfast clients. */
export const nativeLatchCalls: LatchCalls = {
  set({ main, counted }, request, server) {
    const { named, setter, count, keepMs } = request
    return {
      script: latchScripts.latchSet,
      keys: [main, counted],
      args: [named, setter, count, keepMs, server],
    }
  },

  countDown(keys, { named, party }) {
    return { script: latchScripts.latchCountDown, keys: keyList(keys), args: [named, party] }
  },

  wait(waits, inbox) {
    const keys = waits.flatMap(({ address }) => keyList(address))
    const args = waits.flatMap(({ awaited, aliveMs }) => [
      awaited?.generation ?? 0,
      awaited?.isBound === true ? 1 : 0,
      aliveMs,
      inbox,
    ])
    return { script: latchScripts.latchWait, keys, args }
  },

  delete(keys, { named, tombstoneMs }) {
    return { script: latchScripts.latchDelete, keys: keyList(keys), args: [named, tombstoneMs] }
  },

  inspect(keys, limit) {
    return { script: latchScripts.latchInspect, keys: keyList(keys), args: [limit] }
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

function readWaits(given: unknown, { keys }: ScriptCall): LatchWaitReply[] {
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

function readInspection(given: unknown, { keys: [latch = ''] }: ScriptCall): LatchInspection | NotALockReply {
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
  /** The channel of this client. */
  readonly inbox: string
  /** The step was carried out, but Redis refused to publish its notification. */
  onNoticeError(error: string): void
}

/** The latches of one client on Redis. */
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
    return togetherOrSingly(waits, (batch) => connection.run(calls.wait(batch, inbox), readWaits, timeoutMs))
  }

  delete(keys: Keys, request: LatchDeleteRequest, timeoutMs: number): Promise<LatchReply | NotALockReply> {
    return this.#step(this.#options.calls.delete(keys, request), timeoutMs)
  }

  inspect(keys: Keys, limit: number): Promise<LatchInspection | NotALockReply> {
    const { calls, connection } = this.#options
    return connection.run(calls.inspect(keys, limit), readInspection)
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
export const latchesOf = (session: Carrier, calls: LatchCalls): RedisLatches => {
  const { permitted: connection, servers, channel: inbox } = session
  return new RedisLatches({
    connection,
    calls,
    servers,
    inbox,
    onNoticeError: (error) => session.onNoticeError(error),
  })
}

/** What latches bring along. */
export const latchSteps = /* @__PURE__ */ new CarriedSteps(Object.values(latchScripts), (session) => {
  session.latches = latchesOf(session, nativeLatchCalls)
})
