import { Client } from 'pg'
import type { Job, Outcome } from '../../../core/test/model/job.js'
import type { After } from '../../../core/test/model/judge.js'
import { at } from '../../../core/test/model/state.js'
import { Outcomes, type StepRunner } from '../../../core/test/model/step-runner.js'
import type { Row } from '../../src/connection/statement.js'
import { installSql, schemaParts } from './functions.js'
import { heldKey } from './inboxes.js'
import { readSql, restoreSql } from './table-sql.js'
import { nowUs, type Rows, type TableStore, type Way } from './table-store.js'

/**
 * Runs jobs on a real server: writes the rows that a job starts from, calls the function, reads what it left and deletes it.
 * All on one connection, in that order, so that there is one object at a time.
 */
export class FunctionRunner<A extends After> implements StepRunner {
  readonly #store: TableStore<A>
  readonly #outcomes: Outcomes<A>
  readonly #caller: Client
  /** Holds the keys of the clients that are subscribed. */
  readonly #listener: Client

  private constructor(url: string, store: TableStore<A>) {
    this.#store = store
    this.#outcomes = new Outcomes((job, after) => store.judge(job, after))
    const types = { getTypeParser: () => (value: string) => value }
    this.#caller = new Client({ connectionString: url, types, pipeline: true })
    this.#listener = new Client({ connectionString: url })
  }

  /** Installs the functions in the database, in place of any earlier ones of the model. */
  static async open<A extends After>(
    url: string,
    owners: number,
    store: TableStore<A>,
    parts = schemaParts,
  ): Promise<FunctionRunner<A>> {
    const runner = new FunctionRunner(url, store)
    await Promise.all([runner.#caller.connect(), runner.#listener.connect()])
    await runner.#listener.query(installSql(parts))
    for (let owner = 0; owner < owners; owner++) {
      await runner.#listener.query('select pg_advisory_lock($1)', [heldKey(owner)])
    }
    await runner.#caller.query(`set model.now_us = '${nowUs}'`)
    return runner
  }

  get runs(): number {
    return this.#outcomes.size
  }

  find(job: Job): Outcome | undefined {
    return this.#outcomes.find(job)
  }

  async run(jobs: readonly Job[]): Promise<void> {
    await Promise.all(jobs.map((job) => this.#runAllWays(job)))
  }

  async close(): Promise<void> {
    await Promise.all([this.#caller.end(), this.#listener.end()])
  }

  async #runAllWays(job: Job): Promise<void> {
    const ways = this.#store.otherWaysOf(job)
    const [after, ...others] = await Promise.all([{}, ...ways].map((way) => this.#run(job, way)))
    if (!after) return
    this.#outcomes.add(
      job,
      after,
      others.map((other, i) => ({ ...at(ways, i), after: other })),
    )
  }

  async #run(job: Job, way: Way): Promise<A> {
    const { tables } = this.#store
    const call = this.#store.callOf(job, way)
    const before = this.#query('restore', restoreSql(tables), [JSON.stringify(this.#store.rowsOf(job, way))])
    const first = this.#query('', call.text, call.values)
    const second = way.isRepeated ? this.#query('', call.text, call.values) : null
    const [reply, [left]] = await Promise.all([
      first,
      this.#query('read', readSql(tables), []),
      before,
      second,
    ])
    const rows = JSON.parse(left?.[0] ?? '') as Rows
    return this.#store.readBack(job, way, call.read(reply), rows)
  }

  /** @param name - of a statement that is prepared once; empty for others */
  async #query(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const config = { name, text, values: [...values], rowMode: 'array' as const }
    const { rows } = await this.#caller.query<(string | null)[]>(config)
    return rows
  }
}
