import fc from 'fast-check'
import { differenceBetween, differs, within } from '../compare/difference.js'
import { latchExamples } from './latch-examples.js'
import { latchSequence, latchStepOf, type DrawnLatchStep } from './latch-sequences.js'
import type { LatchContents, LatchStep, LatchStore } from './latch-step.js'
import { MemoryLatch } from './memory-latch.js'
import { SeenNumbers } from './seen-numbers.js'

export interface LatchComparison {
  readonly runs: number
  /** Times to live may differ by this part: a store may extend them only when they have become shorter by one. */
  readonly tolerance?: number
  readonly seed?: number
  /** Whether the store notifies clients; `true` by default. */
  readonly isHeard?: boolean
}

/**
 * Runs the examples and random sequences of steps on the store and on the reference, each on a latch of its own, and closes the store. Throws at
 * the first step that differs.
 */
export async function compareLatches(store: LatchStore, comparison: LatchComparison): Promise<void> {
  const { runs, tolerance = 0, seed, isHeard = true } = comparison
  const compare = async (steps: readonly DrawnLatchStep[]): Promise<void> => {
    await store.forget()
    const [ours, theirs] = [new Side(store, isHeard), new Side(new MemoryLatch(), isHeard)]
    for (const [i, step] of steps.entries()) {
      const [left, right] = [await ours.take(step), await theirs.take(step)]
      const difference = differenceBetween(left, right, {
        names: [ours.seen, theirs.seen],
        areNear: within(tolerance),
      })
      if (difference !== undefined) throw differs(difference, left, right, steps.slice(0, i + 1))
    }
  }
  const settings = seed === undefined ? {} : { seed, endOnFailure: true }
  try {
    for (const steps of latchExamples) await compare(steps)
    await fc.assert(fc.asyncProperty(latchSequence, compare), { numRuns: runs, ...settings })
  } finally {
    await store.close()
  }
}

/** One of the two stores, and what it has shown. */
class Side {
  readonly seen = new SeenNumbers()
  readonly #store: LatchStore
  readonly #isHeard: boolean
  #waiting: LatchContents['waiters'] = []

  constructor(store: LatchStore, isHeard: boolean) {
    this.#store = store
    this.#isHeard = isHeard
  }

  /** What a step names depends on what the ones before it replied. */
  async take(drawn: DrawnLatchStep): Promise<object> {
    const step: LatchStep = latchStepOf(drawn, this.seen)
    const { reply, notices } = await this.#store.run(step)
    const { parties, waiters, ...contents } = await this.#store.read()
    // A client whose time is over may be notified as well. That makes no difference to anyone.
    const heard = notices.filter(({ clientId }) => this.#isHeard && this.#waiting.includes(clientId))
    this.#waiting = waiters
    return {
      reply,
      notices: heard.sort((a, b) => (a.clientId < b.clientId ? -1 : 1)),
      contents: { ...contents, parties: [...parties].sort(), waiters: [...waiters].sort() },
    }
  }
}
