import type { Lease } from '@holdfast/core'
import { Client } from 'pg'

/** What keeps out a job that lost its lock. */
export const checks = ['nothing', 'fence', 'version'] as const
export type Check = (typeof checks)[number]

/** A price list as it was computed, and the version of the one that it is to replace. */
export interface Draft {
  readonly prices: readonly { readonly item: string; readonly cents: number }[]
  readonly version: number
}

/** Costs, and the prices that are computed from them: tables of one schema. */
export class PriceList {
  readonly #client: Client
  readonly #schema: string

  private constructor(client: Client, schema: string) {
    this.#client = client
    this.#schema = schema
  }

  static async open(url: string, schema: string): Promise<PriceList> {
    const client = new Client({ connectionString: url })
    // A failure of the connection also rejects the next statement.
    client.on('error', () => undefined)
    await client.connect()
    return new PriceList(client, schema)
  }

  async create(): Promise<void> {
    await this.#client.query(`
      create schema ${this.#schema}
        create table cost (item text primary key, cents int not null)
        create table price (item text primary key, cents int not null)
        create table price_list (version bigint not null);
      insert into ${this.#schema}.cost values ('coffee', 0), ('tea', 0);
      insert into ${this.#schema}.price_list values (1)`)
  }

  async setCosts(cents: number): Promise<void> {
    await this.#client.query(`update ${this.#schema}.cost set cents = $1`, [cents])
  }

  /** Reads all costs and computes the prices; in a real shop, for an hour. */
  async compute(): Promise<Draft> {
    const { rows } = await this.#client.query<{ item: string; cents: number; version: string }>(
      `select item, cents, version from ${this.#schema}.cost, ${this.#schema}.price_list`,
    )
    const prices = rows.map(({ item, cents }) => ({ item, cents: 2 * cents }))
    return { prices, version: Number(rows[0]?.version) }
  }

  /** Replaces all prices in one transaction. */
  async publish({ prices, version }: Draft, check: Check, lease: Lease): Promise<void> {
    const client = this.#client
    const schema = this.#schema
    await client.query('begin')
    try {
      if (check === 'fence') await lease.fence(client)
      const condition = check === 'version' ? `where version = ${version}` : ''
      const { rowCount } = await client.query(
        `update ${schema}.price_list set version = version + 1 ${condition}`,
      )
      if (rowCount === 0) throw new Error('another version has been published since')
      await client.query(`delete from ${schema}.price`)
      await client.query(
        `insert into ${schema}.price select * from json_to_recordset($1) as x (item text, cents int)`,
        [JSON.stringify(prices)],
      )
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }

  async priceOf(item: string): Promise<number> {
    const { rows } = await this.#client.query<{ cents: number }>(
      `select cents from ${this.#schema}.price where item = $1`,
      [item],
    )
    return Number(rows[0]?.cents)
  }

  async drop(): Promise<void> {
    await this.#client.query(`drop schema if exists ${this.#schema}, ${this.#schema}_locks cascade`)
    await this.#client.end()
  }
}
