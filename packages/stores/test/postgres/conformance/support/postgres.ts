import type { EngineUnderTest } from '@holdfast/conformance'
import { postgres, type PostgresOptions } from '@holdfast/stores/postgres'
import {
  mayStartPostgres,
  openDatabase,
  startPostgres,
  type PostgresServer,
  type TestDatabase,
} from '@holdfast/testkit'
import { firstOf, hostAndPort, StoreUnderTest, type Address } from '../../../support/store-under-test.js'
import { countedCalls, wipeSql } from './postgres-schema.js'

const aboutLocks = new RegExp(`^LOG: +execute <unnamed>: select \\* from ${countedCalls.source}`, 'gm')
const aboutLock =
  /"holdfast"\.((acquire|release|renew)(_shared)?|take_over|resize|latch_(set|count_down|delete|wait))\(/

/**
 * PostgreSQL with tables of one kind: a server of its own, or else a database at PG_URL. That server is not restarted, and its
 * log, by which statements are counted, is out of reach.
 */
export class PostgresUnderTest extends StoreUnderTest<PostgresOptions> {
  readonly restart?: NonNullable<EngineUnderTest['restart']>
  readonly commandCount?: NonNullable<EngineUnderTest['commandCount']>
  #own: PostgresServer | undefined
  #databases: readonly TestDatabase[] = []

  constructor(tables: 'unlogged' | 'logged') {
    super(`PostgreSQL, ${tables} tables`, {
      store: 'postgres',
      engineOf: postgres,
      optionsAt: (addresses) => ({ url: this.#urlAt(firstOf(addresses)), tables }),
      isStep: () => (request) => aboutLock.test(request),
    })
    if (!mayStartPostgres()) return
    this.restart = async ({ keepData }) => this.#own?.restart({ crash: !keepData })
    this.commandCount = async () => (await this.#own?.log())?.match(aboutLocks)?.length ?? 0
  }

  async start(): Promise<void> {
    // Statements are counted in the log: the server's own statistics lag behind.
    if (mayStartPostgres()) this.#own = await startPostgres({ settings: { log_statement: 'all' } })
    this.#databases = [this.#own ?? (await openDatabase())]
  }

  async stop(): Promise<void> {
    await this.#database.stop()
  }

  async wipe(): Promise<void> {
    await this.#database.query(wipeSql)
  }

  protected get addresses(): readonly Address[] {
    const { hostname, port } = new URL(this.#database.url)
    return [{ host: hostname, port: Number(port || 5432) }]
  }

  #urlAt(address: Address): string {
    const url = new URL(this.#databases[0]?.url ?? 'postgres://localhost')
    url.host = hostAndPort(address)
    return url.href
  }

  get #database(): TestDatabase {
    return firstOf(this.#databases)
  }
}
