import type { EngineHost, StoreFacts, UnavailableError } from '@holdfast/core/engine'
import { StatementConnection } from './connection/statement-connection.js'
import { checkDatabase } from './database-check.js'
import { toError } from './errors.js'
import { Migration } from './migrate.js'
import type { PostgresSettings } from './options.js'
import type { Step } from './step.js'
import type { Steps } from './steps.js'

export interface PostgresStoreDeps {
  readonly host: EngineHost
  readonly settings: PostgresSettings
  readonly steps: Steps
  readonly connectTimeoutMs: number
  /** Sends some statement: with each connection it is known which data there is. */
  touch(): Promise<void>
}

/** The database of one client: runs steps there, and knows whether it is still the same. */
export class PostgresStore implements StoreFacts {
  readonly name: string
  readonly #deps: PostgresStoreDeps
  readonly #migration: Migration
  readonly #statements: StatementConnection
  /** Which data the database of this connection has; `undefined` while there is none. */
  #data: string | undefined
  #wasUsable = false

  constructor(deps: PostgresStoreDeps) {
    this.#deps = deps
    const { host, settings, connectTimeoutMs } = deps
    const { database } = settings
    this.name = database.name
    this.#migration = new Migration(settings, {
      connectTimeoutMs,
      limitMs: Math.max(connectTimeoutMs, shortestMigrationLimitMs),
    })
    this.#statements = new StatementConnection({
      database,
      connectTimeoutMs,
      check: async (query) => {
        this.#data = await checkDatabase(query, settings, this.#wasUsable, (from) =>
          this.#migration.run(from),
        )
        this.#wasUsable = true
      },
      onBreak: () => {
        this.#data = undefined
        host.broken()
      },
      onReconnect: () => host.reconnected(),
      onError: (error) => host.error(error),
    })
  }

  get connectionEpoch(): number {
    return this.#statements.epoch
  }

  get doubt(): UnavailableError | undefined {
    return this.#statements.doubt
  }

  async incarnation(): Promise<string | undefined> {
    if (this.#data === undefined) await this.#deps.touch()
    return this.#data
  }

  knownIncarnation(): string | undefined {
    return this.#data
  }

  uptimeMs(): Promise<number> {
    return this.run(this.#deps.steps.uptimeMs())
  }

  /** @param isUrgent - as renewals are, which save a hold: behind a pooler they would wait for all other statements */
  async run<T>(step: Step<T>, timeoutMs = this.#deps.host.commandTimeoutMs, isUrgent = false): Promise<T> {
    const rows = await this.#statements.run(step.text, step.values, timeoutMs, isUrgent)
    try {
      return step.read(rows)
    } catch (error) {
      // It may be the reply to another statement, as all that follow on this connection would be.
      this.reconnect(toError(error))
      throw error
    }
  }

  /** Nothing is sent until a connection is made anew and checked. */
  reconnect(cause: Error): void {
    this.#statements.reconnect(cause)
  }

  async close(): Promise<void> {
    await Promise.all([this.#statements.close(), this.#migration.close()])
  }
}

/** A migration takes a fraction of a second; this leaves room for a busy server, and for others that migrate as well. */
const shortestMigrationLimitMs = 8_000
