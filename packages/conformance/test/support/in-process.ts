import { describeEngine, type EngineUnderTest, type LinkedClient } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { InProcessLink } from './in-process-link.js'
import { linkedEngine } from './linked-engine.js'

/** A store in this process, as its test offers it. */
export interface InProcessStore {
  readonly name: string
  readonly engine: LockEngine
  readonly wipe: () => void
  readonly commandCount: () => number
}

/** Runs the suite on it. Each client gets a link of its own. */
export function describeInProcess({ name, engine, wipe, commandCount }: InProcessStore): void {
  const openLinked = (options?: ClientOptions): LinkedClient => {
    const link = new InProcessLink(engine.name)
    return { holdfast: new Holdfast({ ...options, engine: linkedEngine(engine, link) }), link }
  }
  const underTest: EngineUnderTest = {
    name,
    traits: engine.traits,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    open: (options) => openLinked(options).holdfast,
    engine: () => engine,
    openLinked: (options) => Promise.resolve(openLinked(options)),
    wipe: () => {
      wipe()
      return Promise.resolve()
    },
    commandCount: () => Promise.resolve(commandCount()),
  }
  describeEngine(underTest)
}
