import type { LatchContext, LatchRecord } from '@holdfast/stores/documents/steps'
import { clockStartUs } from '../explore/job.js'
import { realMachine, type Machine } from '../reference/machine.js'
import type { LatchContents, LatchNotice, LatchRan, LatchStep, LatchStore } from './latch-step.js'

/** One latch of the reference: the pure steps of the memory engine, on a clock that stands still between steps. */
export class MemoryLatch implements LatchStore {
  readonly #machine: Machine
  #latch: LatchRecord
  #nowUs = clockStartUs

  constructor(machine: Machine = realMachine) {
    this.#machine = machine
    this.#latch = machine.noLatch()
  }

  run(step: LatchStep): Promise<LatchRan> {
    // Two steps of one microsecond are possible here and not on a server.
    this.#nowUs += 1_000
    this.#machine.settleLatch(this.#latch, this.#nowUs)
    const notices: LatchNotice[] = []
    const context: LatchContext = {
      nowUs: this.#nowUs,
      incarnation: step.kind === 'set' ? step.incarnation : '',
      notify: (clientId, kind, generation) => notices.push({ clientId, kind, generation }),
    }
    return Promise.resolve({ reply: this.#take(step, context), notices })
  }

  read(): Promise<LatchContents> {
    this.#machine.settleLatch(this.#latch, this.#nowUs)
    return Promise.resolve(this.#machine.latchSteps.inspectLatch(this.#latch, 100, this.#nowUs))
  }

  forget(): Promise<void> {
    this.#latch = this.#machine.noLatch()
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #take(step: LatchStep, context: LatchContext): LatchRan['reply'] {
    const { latchSteps: steps } = this.#machine
    switch (step.kind) {
      case 'set':
        return steps.set(this.#latch, step, context)
      case 'count down':
        return steps.countDown(this.#latch, step, context)
      case 'delete':
        return steps.remove(this.#latch, step, context)
      case 'wait':
        return steps.wait(this.#latch, step.clientId, step.awaited, step.aliveMs, this.#nowUs)
      case 'pass':
        this.#nowUs += step.ms * 1_000
        return null
    }
  }
}
