import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import { postgres } from '@holdfast/postgres'
import { startPostgres, startProxy, type FaultProxy, type PostgresServer } from '@holdfast/testkit'

type Tables = 'unlogged' | 'logged'

/** PostgreSQL with tables of one kind. */
export class PostgresUnderTest implements EngineUnderTest {
  readonly name: string
  readonly traits: Traits
  readonly otherProcess: OtherProcess
  readonly #tables: Tables
  #server: PostgresServer | undefined

  constructor(tables: Tables) {
    this.name = `PostgreSQL, ${tables} tables`
    this.#tables = tables
    this.traits = this.#engineAt('postgres://localhost').traits
    this.otherProcess = {
      module: new URL('../workers/postgres.mjs', import.meta.url),
      argument: () => ({ url: this.server.url, tables }),
    }
  }

  get server(): PostgresServer {
    if (!this.#server) throw new Error(`${this.name} has not been started`)
    return this.#server
  }

  async start(): Promise<void> {
    // Statements are counted in the log: the server's own statistics lag behind.
    this.#server = await startPostgres({ settings: { log_statement: 'all' } })
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return this.#engineAt(this.server.url)
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxy = await startProxy(this.server, 'postgres')
    const engine = this.#engineAt(`postgres://postgres@${proxy.host}:${proxy.port}/postgres`)
    return { holdfast: new Holdfast({ ...options, engine }), link: new PostgresLink(proxy) }
  }

  restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    return this.server.restart({ crash: !keepData })
  }

  async wipe(): Promise<void> {
    await this.server.query('truncate holdfast.lock, holdfast.place, holdfast.tombstone, holdfast.store')
  }

  async commandCount(): Promise<number> {
    return (await this.server.log()).match(aboutLocks)?.length ?? 0
  }

  #engineAt(url: string): LockEngine {
    return postgres({ url, tables: this.#tables })
  }
}

const aboutLocks =
  /^LOG: +execute <unnamed>: select \* from "holdfast"\.(acquire|release|renew|refresh|force)_/gm
const aboutLock = /"holdfast"\.(acquire|release|renew)_/

class PostgresLink implements Link {
  readonly #proxy: FaultProxy

  constructor(proxy: FaultProxy) {
    this.#proxy = proxy
  }

  blackHole(direction: LinkDirection): void {
    this.#proxy.blackHole(direction === 'toStore' ? 'toServer' : direction)
  }

  heal(): void {
    this.#proxy.heal()
  }

  cut(): void {
    this.#proxy.cut()
  }

  loseNextReply(): Promise<void> {
    return this.#proxy.loseReply((request) => aboutLock.test(request))
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
