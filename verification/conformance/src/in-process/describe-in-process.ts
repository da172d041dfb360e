import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { describeEngine } from '../describe-engine.js'
import type { EngineUnderTest, LinkedClient } from '../engine-under-test.js'
import { globalRunner } from '../runner.js'
import { linkedEngine } from './linked-engine.js'

/** An engine whose store lives in the process of its test. */
export interface InProcessStore {
  /** The title of the engine's run. */
  readonly name: string
  /** What is tested. All clients share its store. */
  readonly engine: LockEngine
  /** How many round trips a step takes to a store like this one; 1 by default. */
  readonly tripsPerStep?: number
  /** Whether it runs in virtual time. */
  readonly isExact?: boolean
  /** Resolves when it can be used. By default it can be at once. */
  readonly start?: () => Promise<void>
  /** Ends it. By default nothing is left to end. */
  readonly stop?: () => Promise<void>
  /** Deletes all data. */
  readonly wipe: () => void | Promise<void>
  /** How many steps the store has carried out, if the engine's traits promise `commandsPerCycle`; else any number. */
  readonly commandCount: () => number
}

/** Runs the suite on it, as `describeEngine` does. Each client gets a link of its own. */
export function describeInProcess(store: InProcessStore, runner = globalRunner()): void {
  const {
    name,
    engine,
    tripsPerStep = 1,
    isExact = false,
    start = done,
    stop = done,
    wipe,
    commandCount,
  } = store
  const openLinked = (options?: ClientOptions): LinkedClient => {
    const linked = linkedEngine(engine, tripsPerStep)
    return { holdfast: new Holdfast({ ...options, engine: linked.engine }), link: linked.link }
  }
  const underTest: EngineUnderTest = {
    name,
    traits: engine.traits,
    tripsPerStep,
    isExact,
    start,
    stop,
    open: (options) => openLinked(options).holdfast,
    engine: () => engine,
    openLinked: (options) => Promise.resolve(openLinked(options)),
    wipe: async () => {
      await wipe()
    },
    commandCount: () => Promise.resolve(commandCount()),
  }
  describeEngine(underTest, runner)
}

const done = (): Promise<void> => Promise.resolve()
