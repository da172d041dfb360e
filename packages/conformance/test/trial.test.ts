import { describeEngine, type EngineUnderTest, type LinkedClient } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import { trialEngine } from './support/trial-engine.js'
import { TrialLink } from './support/trial-link.js'
import { TrialStore } from './support/trial-store.js'

class TrialUnderTest implements EngineUnderTest {
  readonly name = 'Trial engine'
  readonly #store = new TrialStore()
  readonly traits = trialEngine(this.#store, new TrialLink()).traits

  start(): Promise<void> {
    return Promise.resolve()
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  open(options?: ClientOptions): Holdfast {
    return new Holdfast({ ...options, engine: trialEngine(this.#store, new TrialLink()) })
  }

  openLinked(options?: ClientOptions): Promise<LinkedClient> {
    const link = new TrialLink()
    const holdfast = new Holdfast({ ...options, engine: trialEngine(this.#store, link) })
    return Promise.resolve({ holdfast, link })
  }

  wipe(): Promise<void> {
    this.#store.wipe()
    return Promise.resolve()
  }

  commandCount(): Promise<number> {
    return Promise.resolve(this.#store.steps)
  }
}

describeEngine(new TrialUnderTest())
