import type {
  Address,
  CountDownRequest,
  LatchDeleteRequest,
  LatchInspection,
  LatchReply,
  LatchSession,
  LatchSetRequest,
  LatchWait,
  LatchWaitReply,
} from '@holdfast/core/engine'
import type { LatchSteps } from './latch-steps.js'
import type { Step } from './step.js'

/** What the latches of a client need of its session. */
export interface PostgresLatchesDeps {
  readonly clientId: string
  readonly channel: string
  readonly steps: LatchSteps
  run<T>(step: Step<T>, timeoutMs?: number): Promise<T>
}

/** The latches of one client in a PostgreSQL database. */
export class PostgresLatches implements LatchSession {
  readonly #deps: PostgresLatchesDeps

  constructor(deps: PostgresLatchesDeps) {
    this.#deps = deps
  }

  set({ id }: Address, request: LatchSetRequest, timeoutMs: number): Promise<LatchReply> {
    return this.#deps.run(this.#deps.steps.set(id, request), timeoutMs)
  }

  countDown({ id }: Address, request: CountDownRequest, timeoutMs: number): Promise<LatchReply> {
    return this.#deps.run(this.#deps.steps.countDown(id, request), timeoutMs)
  }

  wait(waits: readonly LatchWait[], timeoutMs: number): Promise<readonly LatchWaitReply[]> {
    const { steps, clientId, channel } = this.#deps
    return this.#deps.run(steps.wait(waits, clientId, channel), timeoutMs)
  }

  delete({ id }: Address, request: LatchDeleteRequest, timeoutMs: number): Promise<LatchReply> {
    return this.#deps.run(this.#deps.steps.delete(id, request), timeoutMs)
  }

  inspect({ id }: Address, limit: number): Promise<LatchInspection> {
    return this.#deps.run(this.#deps.steps.inspect(id, limit))
  }
}
