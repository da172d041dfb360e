import {
  clockStartUs,
  done,
  type Contents,
  type ExploredStore,
  type Problem,
  type Ran,
  type Step,
  type Way,
} from '@holdfast/model'
import { addressOfId } from '../../../src/postgres/address.js'
import { callOf } from './calls.js'
import { readSql, schema, type SchemaParts } from './functions.js'
import { inboxOf, noticesIn, type Listening } from './inboxes.js'
import { areUntouched, bystander, bystanderOf } from './bystander.js'
import type { Leftover, PostgresKind, Rows } from './postgres-kind.js'
import { Server } from './server.js'

type StoredRows = Readonly<Record<string, readonly { readonly name: string }[]>> & { readonly now_us: number }

const rowsNamed = (
  name: string,
  rows: Readonly<Record<string, readonly { readonly name: string }[]>>,
): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.filter((row) => row.name === name)]),
  )

const touched: Problem = { promise: 'leftover', detail: 'another object was changed' }

/** One object on a real server, and one beside it. */
export class PostgresStore implements ExploredStore<Leftover> {
  readonly #server: Server
  readonly #kind: PostgresKind
  readonly #owners: readonly string[]
  readonly #isLent: boolean
  readonly #bystander: Rows
  #unsubscribed: ReadonlySet<string> = new Set()
  #hasKeys = true
  #taken = 0

  private constructor(server: Server, kind: PostgresKind, owners: readonly string[], isLent: boolean) {
    this.#server = server
    this.#kind = kind
    this.#owners = owners
    this.#isLent = isLent
    const { id: name } = bystanderOf(kind.kind)
    this.#bystander = kind.rowsOf(bystander, {
      name,
      nowUs: clockStartUs,
      unsettled: [],
      listening: () => 'subscribed',
    })
  }

  /** @param owners - all whose clients are subscribed, or may leave something behind */
  static async open(
    url: string,
    kind: PostgresKind,
    owners: readonly string[],
    parts?: SchemaParts,
  ): Promise<PostgresStore> {
    return new PostgresStore(await Server.open(url, owners, parts), kind, owners, false)
  }

  /** On a server that is used again: it stays open. */
  static on(server: Server, kind: PostgresKind, owners: readonly string[]): PostgresStore {
    return new PostgresStore(server, kind, owners, true)
  }

  get ways(): readonly Way<Leftover>[] {
    return this.#kind.ways
  }

  async run(step: Step): Promise<Ran> {
    const unsubscribed = this.#unsubscribed
    const owner = 'owner' in step ? step.owner : ''
    const inbox = inboxOf(owner, this.#listening(owner))
    const call = callOf(addressOfId(this.#kind.name), step, inbox, this.#nextIsInBatch())
    if (!call) {
      await this.#change(step)
      return { reply: done, notices: [] }
    }
    const { reply, sent } = await this.#server.call(call)
    const notices = sent.flatMap(([channel, payload]) => noticesIn(channel, payload))
    return { reply, notices: notices.filter((notice) => !unsubscribed.has(notice.owner)) }
  }

  async read(): Promise<Contents> {
    const { kind } = this.#kind
    const unsubscribed = [...this.#unsubscribed].sort()
    const listening = this.#listening
    const [row] = await this.#server.query(`read ${kind}`, readSql(kind), [])
    const { now_us: nowUs, ...rows } = JSON.parse(row?.[0] ?? '') as StoredRows
    const contents = this.#kind.read(rowsNamed(this.#kind.name, rows), nowUs, listening)
    const others = rowsNamed(bystanderOf(kind).id, rows)
    const problems = areUntouched(this.#bystander, others)
      ? contents.problems
      : [...contents.problems, touched]
    return { ...contents, unsubscribed, problems }
  }

  async restore(contents: Contents, leftover?: Leftover): Promise<void> {
    const { kind } = this.#kind
    this.#taken = 0
    this.#unsubscribed = new Set(contents.unsubscribed)
    this.#hasKeys = leftover !== 'no keys'
    const unsettled = leftover === 'unsettled' ? this.#owners : []
    const restoring = { name: this.#kind.name, nowUs: clockStartUs, unsettled, listening: this.#listening }
    const rows = this.#kind.rowsOf(contents, restoring)
    const all = Object.entries(rows).map(([table, own]) => [
      table,
      [...own, ...(this.#bystander[table] ?? [])],
    ])
    const text = `select ${schema}.restore_${kind}($1, $2)`
    await this.#server.query(`restore ${kind}`, text, [JSON.stringify(Object.fromEntries(all)), clockStartUs])
  }

  /** Every other step of a sequence: some mistakes show in a batch, and some without one. An exploration takes no more than two. */
  #nextIsInBatch(): boolean {
    this.#taken++
    return this.#taken > 2 && this.#taken % 2 === 0
  }

  async close(): Promise<void> {
    if (!this.#isLent) await this.#server.close()
  }

  /** What is so now, also when it is looked up later. */
  get #listening(): (owner: string) => Listening {
    const [unsubscribed, hasKeys] = [this.#unsubscribed, this.#hasKeys]
    return (owner) => {
      if (!unsubscribed.has(owner)) return 'subscribed'
      return hasKeys ? 'lost' : 'never'
    }
  }

  async #change(step: Step): Promise<void> {
    switch (step.kind) {
      case 'pass':
        await this.#server.pass(step.ms)
        return
      case 'subscribe':
      case 'unsubscribe': {
        const others = [...this.#unsubscribed].filter((each) => each !== step.owner)
        this.#unsubscribed = new Set(step.kind === 'unsubscribe' ? [...others, step.owner] : others)
        const table = this.#kind.kind === 'lock' ? 'place' : 'shared_place'
        const { key } = inboxOf(step.owner, this.#listening(step.owner))
        const text = `update ${schema}.${table} set inbox_key = $1 where owner = $2 and name = $3`
        await this.#server.query('', text, [key, step.owner, this.#kind.name])
        return
      }
      default:
        throw new Error(`PostgreSQL has no step ${step.kind}`)
    }
  }
}
