import { Holdfast, redisEngine, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import type { EngineUnderTest, LinkedClient, OtherProcess } from '@holdfast/conformance'
import type * as conformance from '@holdfast/conformance'
import type { Store } from '../connect/store.js'
import { messageOf } from '../exit-codes.js'
import { say } from '../output/terminal.js'
import type { OwnSpace } from './own-space.js'

const engineOf = (store: Store): LockEngine =>
  store.kind === 'engine' ? store.engine : redisEngine({ redis: store.template, prefix: store.prefix })

/** As scenarios want it: with no limits but theirs. */
export const clientOf = (store: Store, options: ClientOptions): Holdfast =>
  new Holdfast({ ...options, engine: engineOf(store) })

/**
 * A running store, reached only through its URL. This program cannot restart it, make it fail over or count its commands, so scenarios
 * that need that are skipped. Connections break between the client and its engine.
 */
export class StoreUnderTest implements EngineUnderTest {
  readonly name: string
  readonly traits: Traits
  readonly otherProcess: OtherProcess
  readonly #store: Store
  readonly #space: OwnSpace
  readonly #linkedEngine: typeof conformance.linkedEngine

  constructor(store: Store, space: OwnSpace, { linkedEngine }: typeof conformance) {
    this.#store = store
    this.#space = space
    this.#linkedEngine = linkedEngine
    const { name, traits } = engineOf(store)
    this.name = name
    this.traits = traits
    const { url: _known, ...options } = space.options
    this.otherProcess = { module: new URL('./other-process.cjs', import.meta.url), argument: () => options }
  }

  /** Rejects if the store cannot be reached or refuses to work: then no scenario has to find out. */
  async start(): Promise<void> {
    const holdfast = this.open()
    holdfast.on('error', () => undefined)
    try {
      await holdfast.getLock('first-use').withLock({ waitMs: 0 }, () => undefined)
    } catch (error) {
      // The first use may have created tables. If the server is unreachable, there is nothing to remove.
      await this.#space.remove(this.#store).catch(() => undefined)
      throw error
    } finally {
      await holdfast.close()
    }
  }

  /** Never rejects: what was found out is worth more than what is left behind. */
  async stop(): Promise<void> {
    try {
      await this.#space.remove(this.#store)
    } catch (error) {
      say(`could not remove ${this.#space.name}: ${messageOf(error)}`)
    }
  }

  open(options: ClientOptions = {}): Holdfast {
    return clientOf(this.#store, options)
  }

  engine(): LockEngine {
    return engineOf(this.#store)
  }

  openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const { engine, link } = this.#linkedEngine(engineOf(this.#store))
    return Promise.resolve({ holdfast: new Holdfast({ ...options, engine }), link })
  }
}
