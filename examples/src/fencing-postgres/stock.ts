import { uniqueName } from '@holdfast/testkit'
import type { Store } from './store.js'

/** What an update checks before it changes a row. */
export type Check = 'version' | 'token' | 'both'

/** $1 the row, $2 what is left, $3 the writer's fencing token, $4 the version that it computed from. */
const conditions: Readonly<Record<Check, string>> = {
  // Optimistic locking: refuses what was computed from outdated data, from any holder. An older holder that reads again
  // is accepted.
  version: 'version = $4',
  // Refuses the older holder once the newer one has written. Until then it may write, and the newer one, which has
  // already read, would overwrite that. `<=`, since one holder may write several times.
  token: 'token <= $3',
  both: 'version = $4 AND token <= $3',
}

export interface Row {
  readonly left: number
  /** Grows with every write, made under the lock or without it. */
  readonly version: number
}

/** A table with one row for each check, so that all start with the same values. */
export class Stock {
  static readonly atFirst = 10
  readonly #store: Store
  readonly #schema: string

  private constructor(store: Store, schema: string) {
    this.#store = store
    this.#schema = schema
  }

  /** Creates the table in a new schema, so that it does not affect anything else in the database. */
  static async create(store: Store): Promise<Stock> {
    const schema = `"${uniqueName('fencing-postgres')}"`
    await store.query(`
      CREATE SCHEMA ${schema} CREATE TABLE stock (
        id text PRIMARY KEY,
        items_left int NOT NULL,
        version bigint NOT NULL DEFAULT 1,
        token bigint NOT NULL DEFAULT 0
      )`)
    const stock = new Stock(store, schema)
    for (const id of Object.keys(conditions)) {
      await store.query(`INSERT INTO ${schema}.stock (id, items_left) VALUES ($1, $2)`, [id, Stock.atFirst])
    }
    return stock
  }

  async read(check: Check): Promise<Row> {
    const [row] = await this.#store.query(
      `SELECT items_left, version FROM ${this.#schema}.stock WHERE id = $1`,
      [check],
    )
    return { left: Number(row?.['items_left']), version: Number(row?.['version']) }
  }

  /**
   * Writes what is left now, computed from that version of the row.
   *
   * The check and the write are one statement, to avoid a race.
   *
   * @returns whether the write was accepted
   */
  async write(check: Check, { left, version }: Row, fencingToken: number): Promise<boolean> {
    const changed = await this.#store.query(
      `UPDATE ${this.#schema}.stock SET items_left = $2, version = version + 1, token = $3
       WHERE id = $1 AND ${conditions[check]} RETURNING version`,
      check === 'token' ? [check, left, fencingToken] : [check, left, fencingToken, version],
    )
    return changed.length === 1
  }

  async drop(): Promise<void> {
    await this.#store.query(`DROP SCHEMA ${this.#schema} CASCADE`)
  }
}
