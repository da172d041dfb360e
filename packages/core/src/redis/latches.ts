import type {
  CountDownRequest,
  LatchDeleteRequest,
  LatchInspection,
  LatchReply,
  LatchSession,
  LatchSetRequest,
  LatchWaitReply,
} from '../engine/latch.js'
import type { NotALockReply } from '../engine/replies.js'
import { CarriedSteps } from './carried-steps.js'
import type { Carrier } from './carried-steps.js'
import { togetherOrSingly } from './commands.js'
import type { ScriptCall, ScriptConnection } from './connection/script-connection.js'
import type { Keys } from './keys.js'
import { nativeLatchCalls, readInspection, readStep, readWaits } from './kinds/latch.js'
import type { LatchCalls, RedisLatchWait } from './kinds/latch.js'
import { latchScripts } from './scripts/generated.js'
import type { ServerIdentity } from './server-identity.js'

export interface RedisLatchesOptions {
  readonly connection: Pick<ScriptConnection, 'run'>
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
