import {
  clockStartUs,
  done,
  type Contents,
  type ExploredStore,
  type Ran,
  type Step,
  type Way,
} from '@holdfast/model'
import { addressOfId } from '../../src/address.js'
import { callOf } from './calls.js'
import { readSql, schema, type SchemaParts } from './functions.js'
import { inboxOf, noticesIn, type Listening } from './inboxes.js'
import type { Leftover, PostgresKind } from './postgres-kind.js'
import { Server } from './server.js'

/** One object on a real server, which has it to itself. */
export class PostgresStore implements ExploredStore<Leftover> {
  readonly #server: Server
  readonly #kind: PostgresKind
  readonly #owners: readonly string[]
  #unsubscribed: ReadonlySet<string> = new Set()
  #hasKeys = true

  private constructor(server: Server, kind: PostgresKind, owners: readonly string[]) {
    this.#server = server
    this.#kind = kind
    this.#owners = owners
  }

  /** @param owners - all whose clients are subscribed, or may leave something behind */
  static async open(
    url: string,
    kind: PostgresKind,
    owners: readonly string[],
    parts?: SchemaParts,
  ): Promise<PostgresStore> {
    return new PostgresStore(await Server.open(url, owners, parts), kind, owners)
  }

  get ways(): readonly Way<Leftover>[] {
    return this.#kind.ways
  }

  async run(step: Step): Promise<Ran> {
    const unsubscribed = this.#unsubscribed
    const owner = 'owner' in step ? step.owner : ''
    const call = callOf(addressOfId(this.#kind.name), step, inboxOf(owner, this.#listening(owner)))
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
    const rows = JSON.parse(row?.[0] ?? '') as { readonly now_us: number }
    return { ...this.#kind.read(rows, rows.now_us, listening), unsubscribed }
  }

  async restore(contents: Contents, leftover?: Leftover): Promise<void> {
    const { kind } = this.#kind
    this.#unsubscribed = new Set(contents.unsubscribed)
    this.#hasKeys = leftover !== 'no keys'
    const unsettled = leftover === 'unsettled' ? this.#owners : []
    const restoring = { nowUs: clockStartUs, unsettled, listening: this.#listening }
    const rows = JSON.stringify(this.#kind.rowsOf(contents, restoring))
    const text = `select ${schema}.restore_${kind}($1, $2)`
    await this.#server.query(`restore ${kind}`, text, [rows, clockStartUs])
  }

  async close(): Promise<void> {
    await this.#server.close()
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
        const text = `update ${schema}.${table} set inbox_key = $1 where owner = $2`
        await this.#server.query('', text, [key, step.owner])
        return
      }
      default:
        throw new Error(`PostgreSQL has no step ${step.kind}`)
    }
  }
}
