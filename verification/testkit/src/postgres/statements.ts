import type { Pool } from 'pg'
import { rowsOf, type QueryRow } from './query-at.js'

/** What our connections are called at the server. */
export const applicationName = 'tests'

/**
 * Runs the statements of tests at one server, on connections that are kept: a new one takes a process of the server, which costs
 * far more than most statements.
 */
export class Statements {
  readonly #url: string
  #pool: Pool | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** Resolves with the rows of the last statement. A connection with a failed one is not used again. */
  async run(sql: string, values?: readonly unknown[]): Promise<QueryRow[]> {
    // Loaded on demand: a process that never gets here starts sooner.
    const pg = await import('pg')
    this.#pool ??= this.#open(pg.Pool)
    return rowsOf(await this.#pool.query<QueryRow>(sql, values && [...values]))
  }

  /** For a server that ends or freezes: the next statement connects again. */
  disconnect(): void {
    const pool = this.#pool
    this.#pool = undefined
    void pool?.end()
  }

  #open(PoolClass: typeof Pool): Pool {
    const pool = new PoolClass({
      connectionString: this.#url,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      // Statements may wait for one another.
      max: 50,
      allowExitOnIdle: true,
    })
    // An idle connection that the server ends is removed.
    pool.on('error', () => undefined)
    return pool
  }
}
