import type { Lease } from '@holdfast/core'
import { createConnection, type Connection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'

/** What keeps out a process that lost its lock. */
export const checks = ['nothing', 'version', 'fence'] as const
export type Check = (typeof checks)[number]

/** The account of one customer, as it was read. */
export interface Balance {
  readonly points: number
  readonly version: number
}

export class NotEnoughPointsError extends Error {}

/** Bonus points of one customer: a table of one row. */
export class Account {
  readonly #connection: Connection
  readonly #table: string

  private constructor(connection: Connection, table: string) {
    this.#connection = connection
    this.#table = table
  }

  static async open(url: string, table: string): Promise<Account> {
    return new Account(await createConnection(url), table)
  }

  async create(points: number): Promise<void> {
    await this.drop()
    await this.#connection.query(`create table ${this.#table} (points int not null, version bigint not null)`)
    await this.#connection.query(`insert into ${this.#table} values (?, 1)`, [points])
  }

  async read(): Promise<Balance> {
    const sql = `select points, version from ${this.#table}`
    const [[row]] = await this.#connection.query<RowDataPacket[]>(sql)
    return { points: Number(row?.['points']), version: Number(row?.['version']) }
  }

  /**
   * Pays with points, if the balance that was read has so many. With a version, starts over when it has changed since.
   *
   * @throws `NotEnoughPointsError`
   */
  async pay(points: number, balance: Balance, check: Check, lease: Lease): Promise<void> {
    if (balance.points < points) throw new NotEnoughPointsError(`${balance.points} points are left`)
    const connection = this.#connection
    const condition = check === 'version' ? `where version = ${balance.version}` : ''
    await connection.beginTransaction()
    try {
      if (check === 'fence') await lease.fence(connection)
      const [{ affectedRows }] = await connection.query<ResultSetHeader>(
        `update ${this.#table} set points = points - ?, version = version + 1 ${condition}`,
        [points],
      )
      await connection.commit()
      if (affectedRows === 1) return
    } catch (error) {
      await connection.rollback()
      throw error
    }
    await this.pay(points, await this.read(), check, lease)
  }

  async drop(): Promise<void> {
    await this.#connection.query(`drop table if exists ${this.#table}`)
  }

  async close(): Promise<void> {
    await this.#connection.end()
  }
}
