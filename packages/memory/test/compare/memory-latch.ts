import type { LatchReply, LatchWaitReply } from '@holdfast/core/engine'
import { noLatch, settleLatch } from '../../src/latch-state.js'
import * as steps from '../../src/latch-steps.js'
import type { LatchContext } from '../../src/latch-steps.js'
import { SeenNumbers, type LatchObservation, type LatchStep } from './latch-step.js'

/** One latch of the pure state machine, and what it shows after each step. */
export class MemoryLatch {
  readonly #latch = noLatch()
  readonly #seen = new SeenNumbers()
  #notices: string[] = []
  #nowUs = 1_700_000_000_000_000

  run(step: LatchStep): LatchObservation {
    this.#notices = []
    // Two steps of one microsecond are possible here and not on a server.
    this.#nowUs += 1_000
    settleLatch(this.#latch, this.#nowUs)
    const reply = this.#reply(step)
    settleLatch(this.#latch, this.#nowUs)
    const { state, count, parties, waiters, ttlMs } = steps.inspectLatch(this.#latch, 100, this.#nowUs)
    const left = [this.#text({ kind: 'done', state }), count, [...parties].sort(), [...waiters].sort()].join(
      ' | ',
    )
    return { reply, notices: this.#notices.sort(), left, ttlMs }
  }

  #reply(step: LatchStep): string {
    const latch = this.#latch
    switch (step.kind) {
      case 'set':
        return this.#text(
          steps.set(latch, { ...step, named: this.#seen.find(step.named) }, this.#context(step)),
        )
      case 'count down':
        return this.#text(
          steps.countDown(latch, { ...step, named: this.#seen.find(step.named) }, this.#context()),
        )
      case 'delete':
        return this.#text(
          steps.remove(latch, { ...step, named: this.#seen.find(step.named) }, this.#context()),
        )
      case 'wait': {
        const { clientId, aliveMs } = step
        const generation = step.awaited ? this.#seen.find(step.awaited.seen) : 0
        const awaited = step.awaited && generation > 0 ? { ...step.awaited, generation } : undefined
        return this.#waitText(steps.wait(latch, clientId, awaited, aliveMs, this.#nowUs))
      }
      case 'pass':
        this.#nowUs += step.ms * 1_000
        return ''
    }
  }

  #context({ incarnation }: { incarnation: string } = { incarnation: '' }): LatchContext {
    return {
      nowUs: this.#nowUs,
      incarnation,
      notify: (clientId, what, generation) =>
        this.#notices.push(`${clientId}: ${what} ${this.#seen.nameOf(generation)}`),
    }
  }

  #text({ kind, state }: LatchReply): string {
    const { generation, first, opened, left, previous } = state
    const names = [generation, first, opened, previous].map((number) => this.#seen.nameOf(number))
    return `${kind} ${names.join(' ')} left ${left}`
  }

  #waitText(reply: LatchWaitReply): string {
    if (reply.kind === 'passed') return `1 ${this.#seen.nameOf(reply.generation)}`
    if (reply.kind !== 'closed') return '-1'
    return `${reply.awaited.isBound ? 2 : 0} ${this.#seen.nameOf(reply.awaited.generation)}`
  }
}
