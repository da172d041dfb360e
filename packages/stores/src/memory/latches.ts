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
import { latchSteps as steps, type LatchContext, type LatchRecord } from '../documents/steps/index.js'

/** What the latches of one client need of its session. */
export interface MemoryLatchesDeps {
  readonly clientId: string
  /** Carries out a step, whose reply may be lost. */
  send<T>(step: () => T): Promise<T>
  run<T>(id: string, step: (latch: LatchRecord, context: LatchContext) => T): T
}

/** The latches of one client. */
export class MemoryLatches implements LatchSession {
  readonly #deps: MemoryLatchesDeps

  constructor(deps: MemoryLatchesDeps) {
    this.#deps = deps
  }

  set({ id }: Address, request: LatchSetRequest): Promise<LatchReply> {
    return this.#step(id, (latch, context) => steps.set(latch, request, context))
  }

  countDown({ id }: Address, request: CountDownRequest): Promise<LatchReply> {
    return this.#step(id, (latch, context) => steps.countDown(latch, request, context))
  }

  wait(waits: readonly LatchWait[]): Promise<readonly LatchWaitReply[]> {
    const deps = this.#deps
    return deps.send(() =>
      waits.map(({ address: { id }, awaited, aliveMs }) =>
        deps.run(id, (latch, { nowUs }) => steps.wait(latch, deps.clientId, awaited, aliveMs, nowUs)),
      ),
    )
  }

  delete({ id }: Address, request: LatchDeleteRequest): Promise<LatchReply> {
    return this.#step(id, (latch, context) => steps.remove(latch, request, context))
  }

  inspect({ id }: Address, limit: number): Promise<LatchInspection> {
    return this.#step(id, (latch, { nowUs }) => steps.inspectLatch(latch, limit, nowUs))
  }

  #step<T>(id: string, step: (latch: LatchRecord, context: LatchContext) => T): Promise<T> {
    const deps = this.#deps
    return deps.send(() => deps.run(id, step))
  }
}
