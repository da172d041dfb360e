import type { EngineUnderTest, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import { ProxyLink, startProxy } from '@holdfast/testkit'

export interface Address {
  readonly host: string
  readonly port: number
}

/** What differs between stores that clients reach over the network. */
export interface StoreKind<Options> {
  /** Its entry in the package, and its protocol, as proxies know it. */
  readonly store: 'postgres' | 'mysql' | 'etcd' | 'zookeeper' | 'memcached'
  readonly engineOf: (options: Options) => LockEngine
  /** The engine's options for servers at these addresses. */
  readonly optionsAt: (addresses: readonly Address[]) => Options
  /** Makes what finds the first request that ends a step of a lock or a latch. */
  readonly isStep: () => (request: string) => boolean
}

/** A store on servers of its own, which are restarted and wiped, and on which clients have proxies of theirs. */
export abstract class StoreUnderTest<Options> implements EngineUnderTest {
  readonly otherProcess: OtherProcess
  readonly #kind: StoreKind<Options>

  protected constructor(
    readonly name: string,
    kind: StoreKind<Options>,
  ) {
    this.#kind = kind
    this.otherProcess = {
      module: new URL('./worker.mjs', import.meta.url),
      argument: () => [kind.store, kind.optionsAt(this.addresses)],
    }
  }

  get traits(): Traits {
    return this.#engineAt([{ host: '127.0.0.1', port: 1 }]).traits
  }

  abstract start(): Promise<void>
  abstract stop(): Promise<void>

  /** Where clients find it. */
  protected abstract get addresses(): readonly Address[]

  /** What links lead to: the servers themselves. */
  protected get servers(): readonly Address[] {
    return this.addresses
  }

  engine(): LockEngine {
    return this.#engineAt(this.addresses)
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const { store, isStep } = this.#kind
    const proxies = await Promise.all(this.servers.map((address) => startProxy(address, store)))
    const holdfast = new Holdfast({ ...options, engine: this.#engineAt(proxies) })
    return { holdfast, link: new ProxyLink(proxies, isStep) }
  }

  #engineAt(addresses: readonly Address[]): LockEngine {
    const { engineOf, optionsAt } = this.#kind
    return engineOf(optionsAt(addresses))
  }
}

/** The only one. */
export const firstOf = <T>(all: readonly T[]): T => {
  const [first] = all
  if (first === undefined) throw new Error('the store has not been started')
  return first
}

export const hostAndPort = ({ host, port }: Address): string => `${host}:${port}`
