import type { LatchContents, LatchNotice, LatchRan, LatchStep, LatchStore } from '@holdfast/model'
import { addressOf } from '../../../src/postgres/address.js'
import { LatchSteps } from '../../../src/postgres/latch-steps.js'
import { readNotice } from '../../../src/postgres/notices.js'
import type { Step } from '../../../src/postgres/step.js'
import { schema, type SchemaParts } from './functions.js'
import { Server, type Sent } from './server.js'

const steps = new LatchSteps(schema)

/** Has the store be another one, as after a failover. */
const moveSql = `
  insert into ${schema}.store (id) values (lpad($1, 32, '0')::uuid) on conflict (is_this) do update set id = excluded.id`

/** Another latch than the one in question, that somebody counted down and somebody waits for: no step may touch it. */
const bystanderSql = `
  with made as (
    insert into ${schema}.latch (name, generation, remaining, until_us) values ('bystander', 1, 1, 9e18) on conflict do nothing),
  counted as (insert into ${schema}.latch_party values ('bystander', 'p') on conflict do nothing)
  insert into ${schema}.latch_waiter values ('bystander', 'A', 'inbox', 9e18) on conflict do nothing`

const isUntouchedSql = `
  select count(*) from ${schema}.latch l join ${schema}.latch_party using (name) join ${schema}.latch_waiter using (name)
  where name = 'bystander' and (generation, remaining) = (1, 1)`

/** How many latches there were, each of another name. */
let latches = 0

/** One latch on a real server. */
export class PostgresLatch implements LatchStore {
  readonly #server: Server
  readonly #isLent: boolean
  #latch = latches++

  private constructor(server: Server, isLent: boolean) {
    this.#server = server
    this.#isLent = isLent
  }

  static async open(url: string, parts?: SchemaParts): Promise<PostgresLatch> {
    return new PostgresLatch(await Server.open(url, [], parts), false)
  }

  /** On a server that is used again: it stays open. */
  static on(server: Server): PostgresLatch {
    return new PostgresLatch(server, true)
  }

  async run(step: LatchStep): Promise<LatchRan> {
    switch (step.kind) {
      case 'set':
        await this.#server.query('', moveSql, [step.incarnation])
        return this.#call(steps.set(this.#address.id, step))
      case 'count down':
        return this.#call(steps.countDown(this.#address.id, step))
      case 'delete':
        return this.#call(steps.delete(this.#address.id, step))
      case 'wait': {
        const { clientId, awaited, aliveMs } = step
        const { reply, notices } = await this.#call(
          steps.wait([{ address: this.#address, awaited, aliveMs }], clientId, clientId),
        )
        return { reply: reply[0] ?? null, notices }
      }
      case 'pass':
        await this.#server.pass(step.ms)
        return { reply: null, notices: [] }
    }
  }

  async read(): Promise<LatchContents> {
    const { reply } = await this.#server.call(steps.inspect(this.#address.id, 100))
    const [[untouched] = []] = await this.#server.query('', isUntouchedSql, [])
    if (untouched !== '1') throw new Error('another latch was changed')
    return reply
  }

  async forget(): Promise<void> {
    this.#latch = latches++
    await this.#server.query('', bystanderSql, [])
  }

  async close(): Promise<void> {
    if (!this.#isLent) await this.#server.close()
  }

  get #address() {
    return addressOf(`model-${this.#latch}`, 'latch')
  }

  async #call<T>(step: Step<T>): Promise<{ reply: T; notices: readonly LatchNotice[] }> {
    const { reply, sent } = await this.#server.call(step)
    return { reply, notices: sent.map(noticeIn) }
  }
}

function noticeIn([clientId, payload]: Sent): LatchNotice {
  const notice = readNotice(payload)
  if (notice?.kind !== 'open' && notice?.kind !== 'gone') {
    throw new Error(`an unexpected message: ${payload}`)
  }
  return { clientId, kind: notice.kind, generation: notice.generation }
}
