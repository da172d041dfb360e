import { randomBytes } from 'node:crypto'
import { UnavailableError } from '@holdfast/core/engine'
import type { DocumentHost, DocumentPage, DocumentSession, KeyRange, Snapshot } from '../documents/index.js'
import { Connections } from './connection/connections.js'
import {
  openMysql,
  type Parameter,
  type Query,
  type Reply,
  type Value,
} from './connection/mysql-connection.js'
import { checkDatabase, explained } from './database-check.js'
import { engineName, errorNumbers, numberOf } from './errors.js'
import { behindPrefix, documentId, keyOfDocument } from './keys.js'
import { addStore, migrate } from './migrate.js'
import type { MysqlSettings } from './options.js'
import { quoted, sqlOf, type Sql } from './sql.js'
import { Sweeper } from './sweeper.js'

const { deadlock, duplicateKey, lockWaitTimeout, noSuchTable } = errorNumbers

/** A document is sent in hexadecimal digits, and a server takes 16 MiB at a time unless it is told otherwise. */
export const maxBytes = 4_000_000

/** Until when a row is kept at the most: the year 30 000. */
const longestUs = 9e17

/** A version: random bytes. None: there is no such row. */
export type Version = Buffer | null

/** One client's documents in a table of MySQL or MariaDB. */
export class MysqlSession implements DocumentSession<Version> {
  readonly storeName: string
  readonly #settings: MysqlSettings
  readonly #host: DocumentHost
  readonly #sql: Sql
  readonly #connections: Connections
  readonly #sweeper: Sweeper
  #wasUsable = false
  #isClosed = false

  constructor(settings: MysqlSettings, host: DocumentHost) {
    const { name, config, database, table } = settings
    this.storeName = name
    this.#settings = settings
    this.#host = host
    this.#sql = sqlOf(`${quoted(database)}.${quoted(table)}`)
    this.#connections = new Connections({
      name,
      connectTimeoutMs: host.commandTimeoutMs,
      open: () => openMysql(config, host.commandTimeoutMs),
      check: (query) => this.#check(query),
      onBreak: () => host.broken(),
      onReconnect: () => host.reconnected(),
      onError: (error) => host.error(error),
    })
    this.#sweeper = new Sweeper(() => this.#sweep())
  }

  get connectionEpoch(): number {
    return this.#connections.epoch
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async prepare(): Promise<void> {
    await this.#run('select 1', [], this.#host.commandTimeoutMs)
    this.#sweeper.start()
  }

  async read(key: string, timeoutMs: number): Promise<Snapshot<Version>> {
    const [row] = await this.#rowsOfStore(this.#sql.read, [documentId(key)], timeoutMs)
    const [text, version, nowUs, store] = row
    return {
      text: textOf(text),
      version: Buffer.isBuffer(version) ? version : null,
      nowUs: Number(nowUs),
      incarnation: Buffer.isBuffer(store) ? store.toString('hex') : '',
    }
  }

  async replace(
    key: string,
    text: string,
    version: Version,
    keepMs: number,
    timeoutMs: number,
  ): Promise<boolean> {
    const next = randomBytes(16)
    const keepUs = Math.min(Math.ceil(keepMs) * 1_000, longestUs)
    const [id, body] = [documentId(key), Buffer.from(text)]
    try {
      // One that was deleted stays as an empty one, so that a statement which comes late finds another version, and not none.
      const { affected } =
        version === null
          ? await this.#run(this.#sql.insert, [id, next, keepUs, body], timeoutMs)
          : await this.#run(this.#sql.update, [next, keepUs, body, id, version], timeoutMs)
      return affected === 1
    } catch (error) {
      const number = numberOf(error)
      // Someone else was faster; the table is gone, and with it all versions.
      if (number === duplicateKey || number === deadlock || number === noSuchTable) return false
      if (number !== lockWaitTimeout) throw error
      throw new UnavailableError(
        `${this.storeName} is unavailable: another transaction has locked rows of table ${this.#settings.table} and stays open`,
        { engine: engineName, cause: error },
      )
    }
  }

  async uptimeMs(): Promise<number> {
    const [[age]] = await this.#rowsOfStore(this.#sql.age, [], this.#host.commandTimeoutMs)
    return Math.max(0, Number(age))
  }

  async list({ prefix, after, limit }: KeyRange, timeoutMs: number): Promise<DocumentPage> {
    const names = [this.#settings.database, this.#settings.table].map((name) => Buffer.from(name))
    const bounds = [documentId(after === null ? prefix : nextKey(after)), behindPrefix(prefix), limit]
    const { rows } = await this.#run(this.#sql.list, [...names, ...bounds], timeoutMs)
    const documents = rows.flatMap(([id, text]) =>
      Buffer.isBuffer(id) ? { key: keyOfDocument(id), text: textOf(text) } : [],
    )
    const [, , nowUs, total] = rows[0] ?? []
    return { documents, nowUs: Number(nowUs ?? 0), total: Math.max(documents.length, Number(total ?? 0)) }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#sweeper.close()
    await this.#connections.close()
  }

  async #run(sql: string, values: readonly Parameter[], timeoutMs: number): Promise<Reply> {
    try {
      return await this.#connections.run(sql, values, timeoutMs)
    } catch (error) {
      throw explained(error, this.#settings)
    }
  }

  /** At least one row, with the store's own values: it is named anew if the data are gone. */
  async #rowsOfStore(
    sql: string,
    values: readonly Parameter[],
    timeoutMs: number,
  ): Promise<readonly [readonly Value[], ...(readonly Value[])[]]> {
    const query: Query = (text, parameters = []) => this.#run(text, parameters, timeoutMs)
    for (let attemptsLeft = 3; attemptsLeft > 0; attemptsLeft -= 1) {
      try {
        const [first, ...others] = (await query(sql, values)).rows
        if (first) return [first, ...others]
        await addStore(query, this.#sql)
      } catch (error) {
        if (numberOf(error) !== noSuchTable) throw error
        await migrate(query, this.#settings, this.#sql)
      }
    }
    throw new UnavailableError(
      `${this.storeName} is unavailable: table ${this.#settings.table} is emptied again and again`,
      {
        engine: engineName,
      },
    )
  }

  async #check(query: Query): Promise<void> {
    const { commandTimeoutMs: limitMs } = this.#host
    await checkDatabase(query, {
      ...{ settings: this.#settings, sql: this.#sql, limitMs },
      wasUsable: this.#wasUsable,
    })
    this.#wasUsable = true
  }

  async #sweep(): Promise<number> {
    const { commandTimeoutMs } = this.#host
    const { rows } = await this.#run(this.#sql.over, [], commandTimeoutMs)
    const ids = rows.flatMap(([id]) => (Buffer.isBuffer(id) ? [id] : []))
    if (ids.length > 0) await this.#run(this.#sql.sweep(ids.length), ids, commandTimeoutMs)
    return ids.length
  }
}

/** The first key behind this one. */
const nextKey = (key: string): string => `${key}\0`

const textOf = (value: Value | undefined): string => (Buffer.isBuffer(value) ? value.toString('utf8') : '')
