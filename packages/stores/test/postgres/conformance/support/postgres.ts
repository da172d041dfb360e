import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import { postgres } from '@holdfast/stores/postgres'
import {
  mayStartPostgres,
  openDatabase,
  startPostgres,
  startProxy,
  type FaultProxy,
  type PostgresServer,
  type TestDatabase,
} from '@holdfast/testkit'
import { countedCalls, wipeSql } from './postgres-schema.js'

type Tables = 'unlogged' | 'logged'

/**
 * PostgreSQL with tables of one kind: a server of its own, or else a database at PG_URL. That server is not restarted, and its
 * log, by which statements are counted, is out of reach.
 */
export class PostgresUnderTest implements EngineUnderTest {
  readonly name: string
  readonly traits: Traits
  readonly otherProcess: OtherProcess
  readonly restart?: NonNullable<EngineUnderTest['restart']>
  readonly commandCount?: NonNullable<EngineUnderTest['commandCount']>
  readonly #tables: Tables
  #own: PostgresServer | undefined
  #database: TestDatabase | undefined

  constructor(tables: Tables) {
    this.name = `PostgreSQL, ${tables} tables`
    this.#tables = tables
    this.traits = this.#engineAt('postgres://localhost').traits
    this.otherProcess = {
      module: new URL('../workers/postgres.mjs', import.meta.url),
      argument: () => ({ url: this.database.url, tables }),
    }
    if (!mayStartPostgres()) return
    this.restart = async ({ keepData }) => this.#own?.restart({ crash: !keepData })
    this.commandCount = async () => (await this.#own?.log())?.match(aboutLocks)?.length ?? 0
  }

  get database(): TestDatabase {
    if (!this.#database) throw new Error(`${this.name} has not been started`)
    return this.#database
  }

  async start(): Promise<void> {
    // Statements are counted in the log: the server's own statistics lag behind.
    if (mayStartPostgres()) this.#own = await startPostgres({ settings: { log_statement: 'all' } })
    this.#database = this.#own ?? (await openDatabase())
  }

  async stop(): Promise<void> {
    await this.#database?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return this.#engineAt(this.database.url)
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const url = new URL(this.database.url)
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port || 5432) }, 'postgres')
    url.host = `${proxy.host}:${proxy.port}`
    const engine = this.#engineAt(url.href)
    return { holdfast: new Holdfast({ ...options, engine }), link: new PostgresLink(proxy) }
  }

  async wipe(): Promise<void> {
    await this.database.query(wipeSql)
  }

  #engineAt(url: string): LockEngine {
    return postgres({ url, tables: this.#tables })
  }
}

const aboutLocks = new RegExp(`^LOG: +execute <unnamed>: select \\* from ${countedCalls.source}`, 'gm')
const aboutLock =
  /"holdfast"\.((acquire|release|renew)(_shared)?|take_over|resize|latch_(set|count_down|delete|wait))\(/

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
