import { RefusedError, UnavailableError } from '@holdfast/core/engine'
import type { Connection } from './connection/connection.js'
import { closed, engineName, sqlStateOf, toError } from './errors.js'
import type { PostgresSettings } from './options.js'
import { schemaSql } from './sql/migrations.js'
import { belongsToOthers } from './sql/ownership.js'

export interface MigrationLimits {
  readonly connectTimeoutMs: number
  /** How long it may take in all, milliseconds. */
  readonly limitMs: number
}

/** States of a statement that the server ended for the limit: `query_canceled`, `lock_not_available`, `transaction_timeout`. */
const tooLate = new Set(['57014', '55P03', '25P04'])

/**
 * Creates the schema or brings it up to date, on a connection of its own; with `migrate: 'check'` refuses to. Another session
 * may stand in its way for any time, so each attempt has an end, and there is one at a time, however often it is asked for.
 */
export class Migration {
  readonly #settings: PostgresSettings
  readonly #limits: MigrationLimits
  #attempt: Promise<void> | undefined
  /** Ends the attempt under way. */
  #giveUp: ((reason: Error) => void) | undefined
  #isClosed = false

  constructor(settings: PostgresSettings, limits: MigrationLimits) {
    this.#settings = settings
    this.#limits = limits
  }

  /** Settles with the attempt under way, or a new one. */
  async run(from: 'nothing' | 'older'): Promise<void> {
    if (this.#isClosed) throw closed()
    const { schema, migrate: mode } = this.#settings
    if (mode === 'check') {
      const [state, way] = {
        nothing: [
          'does not exist in this database',
          'name the schema that the locks are in, or have it created',
        ],
        older: ['is out of date', 'have it updated'],
      }[from]
      throw refused(
        `schema ${schema} ${state}, and this client may not change that (migrate: 'check'): ` +
          `${way}, by a client that may, such as the application, or by the SQL of migrationSql()`,
      )
    }
    this.#attempt ??= this.#begin().finally(() => (this.#attempt = undefined))
    await this.#attempt
  }

  /** Resolves when nothing of an attempt is left here. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#giveUp?.(closed())
    await this.#attempt?.catch(() => undefined)
  }

  async #begin(): Promise<void> {
    const { database, schema } = this.#settings
    const { connectTimeoutMs, limitMs } = this.#limits
    const connection = database.open('migration', connectTimeoutMs)
    const givenUp = new Promise<never>((_, reject) => (this.#giveUp = reject))
    const timer = setTimeout(() => this.#giveUp?.(this.#blocked()), limitMs)
    // This timer must not keep the process alive; the socket does.
    timer.unref()
    try {
      await Promise.race([this.#migrate(connection), givenUp])
    } catch (error) {
      const state = sqlStateOf(error) ?? ''
      if (tooLate.has(state)) throw this.#blocked(error)
      if (state === belongsToOthers) throw refused(toError(error).message, error)
      if (state !== '42501') throw error
      throw refused(
        `the role may not create schema ${schema}: run the SQL of migrationSql() as a role that may`,
        error,
      )
    } finally {
      clearTimeout(timer)
      this.#giveUp = undefined
      await connection.destroy()
    }
  }

  async #migrate(connection: Connection): Promise<void> {
    const { schema, tables } = this.#settings
    await connection.connect()
    await connection.runScript(schemaSql(schema, tables, { limitMs: this.#limits.limitMs }))
  }

  #blocked(cause?: unknown): UnavailableError {
    return new UnavailableError(
      `schema ${this.#settings.schema} could not be created or brought up to date within ${this.#limits.limitMs} ms: ` +
        'another session may hold a lock on it; pg_blocking_pids(pid) names those that a session in pg_stat_activity waits for',
      { engine: engineName, cause },
    )
  }
}

const refused = (message: string, cause?: unknown): RefusedError =>
  new RefusedError(message, { engine: engineName, cause })
