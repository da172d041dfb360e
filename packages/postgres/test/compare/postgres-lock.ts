import { uniqueName } from '@holdfast/testkit'
import { Client } from 'pg'
import { TokenRanks, type Observation } from '../../../memory/test/compare/observation.js'
import { owners, type Owner, type Step as CompareStep } from '../../../memory/test/compare/step.js'
import type { Row } from '../../src/connection/statement.js'
import { Steps, type Inbox, type Step } from '../../src/steps.js'

const schema = '"holdfast"'
const channelOf = (owner: string): string => `compare:${owner}`
const keyOf = (owner: Owner): string => String(1_000 + owners.indexOf(owner))

/** All there is of the lock, read at one instant; times are milliseconds from now. */
const readSql = `
  with now as (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us)
  select l.owner, l.hold_count, (l.until_us - us) / 1000, l.token, (l.fence_until_us - us) / 1000,
    (l.queue_until_us - us) / 1000, l.waiting,
    (select json_agg(json_build_array(owner, grant_lease_ms, (alive_until_us - us) / 1000) order by ticket)
     from ${schema}.place where name = $1),
    (select json_agg(json_build_array(owner, (until_us - us) / 1000) order by owner)
     from ${schema}.tombstone where name = $1)
  from now left join ${schema}.lock l on l.name = $1`

/** Makes everything older, so that no time need pass. */
const passSql = `
  with lock as (
    update ${schema}.lock set until_us = until_us - $2::bigint, fence_until_us = fence_until_us - $2::bigint,
      queue_until_us = queue_until_us - $2::bigint where name = $1
  ), place as (
    update ${schema}.place set alive_until_us = alive_until_us - $2::bigint where name = $1
  )
  update ${schema}.tombstone set until_us = until_us - $2::bigint where name = $1`

type Reply = (string | number)[]

/** A step that was carried out: its reply, what it left, and who could be notified. */
interface Done {
  readonly step: CompareStep
  readonly rows: readonly Row[]
  readonly state: Row
  readonly hearing: ReadonlySet<Owner>
}

/** Runs sequences of steps with the real functions on a real server, each on a lock of its own. */
export class PostgresSequences {
  readonly #sender: Client
  readonly #listener: Client
  readonly #steps = new Steps(schema)
  #notices: string[][] = [[]]
  #onLastMarker: () => void = () => undefined

  private constructor(url: string) {
    const types = { getTypeParser: () => (value: string) => value }
    const pipelined = { connectionString: url, types, pipeline: true }
    this.#sender = new Client(pipelined)
    this.#listener = new Client({ connectionString: url })
  }

  /** @param url - of a database that has the schema */
  static async open(url: string): Promise<PostgresSequences> {
    const sequences = new PostgresSequences(url)
    await Promise.all([sequences.#sender.connect(), sequences.#listener.connect()])
    sequences.#listener.on('notification', ({ payload = '' }) => sequences.#onMessage(payload))
    for (const name of ['marker', ...owners]) await sequences.#listener.query(`listen "${channelOf(name)}"`)
    return sequences
  }

  async run(steps: readonly CompareStep[]): Promise<Observation[]> {
    const name = uniqueName('compare')
    const tokens = new TokenRanks()
    const hearing = new Set<Owner>(owners)
    await this.#setHearing(hearing)
    this.#notices = [[]]
    const heard = new Promise<void>((resolve) => (this.#onLastMarker = resolve))
    const doing: Promise<Done>[] = []
    for (const [i, step] of steps.entries()) {
      if (step.kind === 'subscribe' || step.kind === 'unsubscribe') {
        await Promise.all(doing)
        if (step.kind === 'subscribe') hearing.add(step.owner)
        else hearing.delete(step.owner)
        await this.#setHearing(hearing)
      }
      doing.push(this.#do(step, name, new Set(hearing), i === steps.length - 1))
    }
    const done = await Promise.all(doing)
    await heard
    return done.map(({ step, rows, state, hearing: listening }, i) => ({
      reply: this.#readReply(step, rows, tokens),
      notices: (this.#notices[i] ?? []).flatMap((payload) => readNotice(payload, tokens, listening)),
      ...observe(state, tokens),
    }))
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.end(), this.#listener.end()])
  }

  async #setHearing(hearing: ReadonlySet<Owner>): Promise<void> {
    const locks = [...hearing].map((owner) => `, pg_advisory_lock(${keyOf(owner)})`)
    await this.#listener.query(`select pg_advisory_unlock_all()${locks.join('')}`)
  }

  /** Sends the step, a look at what it left, and a marker that separates its notifications from the next one's. */
  async #do(step: CompareStep, name: string, hearing: Set<Owner>, isLast: boolean): Promise<Done> {
    const call = this.#callOf(step, name)
    const [rows, [state = []]] = await Promise.all([
      call ? this.#query(call.text, call.values) : [],
      this.#query(readSql, [name]),
      this.#query('select pg_notify($1, $2)', [channelOf('marker'), isLast ? 'last' : 'next']),
    ])
    return { step, rows, state, hearing }
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { rows } = await this.#sender.query<(string | null)[]>({
      text,
      values: [...values],
      rowMode: 'array',
    })
    return rows
  }

  #onMessage(payload: string): void {
    if (payload !== 'next' && payload !== 'last') this.#notices.at(-1)?.push(payload)
    else if (payload === 'next') this.#notices.push([])
    else this.#onLastMarker()
  }

  #callOf(step: CompareStep, id: string): Pick<Step<unknown>, 'text' | 'values'> | undefined {
    switch (step.kind) {
      case 'acquire':
        return this.#steps.acquire(id, { ...step, wantsToken: true }, inboxOf(step.owner), step.tokenFloor)
      case 'release':
        return this.#steps.release(id, step, step.tokenFloor)
      case 'force':
        return this.#steps.force(id, step.owner, channelOf(step.owner), step.tokenFloor)
      case 'renew':
        return this.#steps.renew([{ ...step, address: addressOf(id) }])
      case 'refresh':
        return this.#steps.refresh([{ ...step, address: addressOf(id) }], inboxOf(step.owner))
      case 'inspect':
        return this.#steps.inspect(id, step.limit)
      case 'pass':
        return { text: passSql, values: [id, step.ms * 1_000] }
      case 'subscribe':
      case 'unsubscribe':
        return undefined
    }
  }

  #readReply(step: CompareStep, rows: readonly Row[], tokens: TokenRanks): Reply {
    switch (step.kind) {
      case 'acquire': {
        const call = this.#steps.acquire('', { ...step, wantsToken: true }, inboxOf(step.owner), 0)
        const reply = call.read(rows)
        if (reply.kind === 'held') return step.count > 1 ? ['held'] : ['held', tokens.rankOf(reply.token)]
        return reply.kind === 'busy' ? ['busy', reply.holder, reply.position] : [reply.kind]
      }
      case 'release':
        return [this.#steps.release('', step, 0).read(rows).kind]
      case 'force':
        return [this.#steps.force('', step.owner, '', 0).read(rows).kind]
      case 'renew':
        return [this.#steps.renew([{ ...step, address: addressOf('') }]).read(rows)[0] ?? '']
      case 'refresh': {
        const replies = this.#steps
          .refresh([{ ...step, address: addressOf('') }], inboxOf(step.owner))
          .read(rows)
        return [replies[0]?.state ?? '']
      }
      case 'inspect': {
        const { owner, count, token, waiterCount, waiters } = this.#steps.inspect('', step.limit).read(rows)
        const listed = waiters.map((waiter) => `${waiter.owner}${waiter.aliveMs > 0 ? '' : ' stale'}`)
        return [owner, count, tokens.rankOf(token), waiterCount, ...listed]
      }
      case 'subscribe':
      case 'unsubscribe':
      case 'pass':
        return []
    }
  }
}

const addressOf = (id: string) => ({ name: id, id, group: '' })
const inboxOf = (owner: Owner): Inbox => ({ channel: channelOf(owner), key: keyOf(owner) })

function readNotice(payload: string, tokens: TokenRanks, hearing: ReadonlySet<string>): string[] {
  const [kind = '', owner = '', token, , leaseMs] = payload.split(' ')
  if (!hearing.has(owner)) return []
  return [
    kind === 'revoked' ? `revoked ${owner}` : `granted ${owner} ${tokens.rankOf(Number(token))} ${leaseMs}`,
  ]
}

const listIn = (text: string | null | undefined): unknown[][] => JSON.parse(text ?? '[]') as unknown[][]

function observe(
  [owner, count, untilMs, token, fenceMs, queueMs, waiting, places, tombstones]: Row,
  tokens: TokenRanks,
): Pick<Observation, 'hold' | 'queue' | 'tombstones' | 'token' | 'ttlMs'> {
  const ttlMs: Record<string, number> = {}
  const isHeld = typeof owner === 'string' && Number(untilMs) > 0
  if (isHeld) ttlMs['the hold'] = Number(untilMs)
  const hasQueue = Number(queueMs) > 0 && Number(waiting) > 0
  if (hasQueue) ttlMs['the queue'] = Number(queueMs)
  const entries = hasQueue ? listIn(places) : []
  if (hasQueue && entries.length !== Number(waiting))
    throw new Error(`waiting is ${waiting}, not ${entries.length}`)
  for (const [waiter, , aliveMs] of entries) {
    if (Number(aliveMs) > 0) ttlMs[`the queue entry of ${String(waiter)}`] = Number(aliveMs)
  }
  const live = listIn(tombstones).filter(([, ms]) => Number(ms) > 0)
  for (const [dead, ms] of live) ttlMs[`the tombstone of ${String(dead)}`] = Number(ms)
  const hasToken = Number(fenceMs) > 0
  if (hasToken) ttlMs['the fence'] = Number(fenceMs)
  return {
    hold: isHeld ? `${owner} ${String(count)}` : '',
    queue: entries.map(([waiter, leaseMs]) => `${String(waiter)} ${String(leaseMs)}`),
    tombstones: live.map(([dead]) => String(dead)),
    token: hasToken ? tokens.rankOf(Number(token)) : 0,
    ttlMs,
  }
}
