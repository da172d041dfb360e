import { clockStartUs } from '@holdfast/model'
import { Client } from 'pg'
import type { Row } from '../../../src/postgres/connection/statement.js'
import type { Step } from '../../../src/postgres/step.js'
import { asText } from './call.js'
import { clockSql, installSql, schema, schemaParts, type SchemaParts } from './functions.js'
import { heldKey } from './inboxes.js'

/** A message that a function sent. */
export type Sent = readonly [channel: string, payload: string]

/** The functions on a real server, on a clock of their own: calls run in the order in which they are sent. */
export class Server {
  readonly url: string
  #caller: Client
  /** Holds the keys of the clients that are subscribed. */
  readonly #listener: Client

  private constructor(url: string) {
    this.url = url
    this.#caller = callerAt(url)
    this.#listener = new Client({ connectionString: url })
  }

  /**
   * Installs the functions in the database, in place of earlier ones.
   *
   * @param owners - all whose clients listen
   */
  static async open(
    url: string,
    owners: readonly string[],
    parts: SchemaParts = schemaParts,
  ): Promise<Server> {
    const server = new Server(url)
    await Promise.all([server.#caller.connect(), server.#listener.connect()])
    await server.#listener.query(installSql(parts))
    for (const owner of owners) await server.#listener.query('select pg_advisory_lock($1)', [heldKey(owner)])
    await server.#setClock()
    return server
  }

  /** Puts a function in the place of the one of its name. What still runs of earlier calls is given up. */
  async replace(sql: string): Promise<void> {
    await this.#caller.end()
    await this.#listener.query(sql.replace(/^create function/, 'create or replace function'))
    this.#caller = callerAt(this.url)
    await this.#caller.connect()
    await this.#setClock()
  }

  /** Calls the function of a step. What it sent is there to be taken once it has returned its row. */
  async call<T>(step: Step<T>): Promise<{ reply: T; sent: readonly Sent[] }> {
    const rows = await this.query('', `select f.*, ${schema}.take() from (${step.text}) f`, step.values)
    return { reply: step.read(rows), sent: JSON.parse(rows[0]?.at(-1) ?? '[]') as Sent[] }
  }

  async pass(ms: number): Promise<void> {
    const text = `select set_config('model.now_us', (${clockSql} + $1)::text, false)`
    await this.query('', text, [ms * 1_000])
  }

  /** @param name - of a statement that is prepared once; empty for others */
  async query(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const config = { name, text, values: [...values], rowMode: 'array' as const }
    const { rows } = await this.#caller.query<(string | null)[]>(config)
    return rows
  }

  async close(): Promise<void> {
    await Promise.all([this.#caller.end(), this.#listener.end()])
  }

  async #setClock(): Promise<void> {
    await this.query('', `select set_config('model.now_us', $1, false)`, [clockStartUs])
  }
}

const callerAt = (url: string): Client => new Client({ connectionString: url, types: asText, pipeline: true })
