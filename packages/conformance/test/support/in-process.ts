import { describeEngine, type EngineUnderTest, type LinkedClient } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { InProcessLink } from './in-process-link.js'
import { linkedEngine } from './linked-engine.js'

/** A store in this process, as its test offers it. */
export interface InProcessStore {
  readonly name: string
  readonly engine: LockEngine
  /** Resolves when it can be used. By default it can be at once. */
  readonly start?: () => Promise<void>
  /** Ends it. By default nothing is left to end. */
  readonly stop?: () => Promise<void>
  readonly wipe: () => void | Promise<void>
  readonly commandCount: () => number
}

/** Runs the suite on it. Each client gets a link of its own. */
export function describeInProcess(store: InProcessStore): void {
  const { name, engine, start = done, stop = done, wipe, commandCount } = store
  const openLinked = (options?: ClientOptions): LinkedClient => {
    const link = new InProcessLink(engine.name)
    return { holdfast: new Holdfast({ ...options, engine: linkedEngine(engine, link) }), link }
  }
  const underTest: EngineUnderTest = {
    name,
    traits: engine.traits,
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
  describeEngine(underTest)
}

const done = (): Promise<void> => Promise.resolve()
