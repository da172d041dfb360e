import { uniqueName } from '@holdfast/testkit'
import { Client } from 'pg'
import {
  clientIds,
  SeenNumbers,
  type LatchObservation,
  type LatchStep,
} from '../../../memory/test/compare/latch-step.js'
import type { LatchReply, LatchWaitReply } from '@holdfast/core/engine'
import { addressOf } from '../../src/address.js'
import { LatchSteps } from '../../src/latch-steps.js'
import { readNotice } from '../../src/notices.js'
import type { Step } from '../../src/step.js'
import { schema } from './postgres-calls.js'

const calls = new LatchSteps(schema)
const channelOf = (clientId: string): string => `compare-latch:${clientId}`

/** Makes everything older, so that no time need pass. */
const passSql = `
  with latch as (update ${schema}.latch set until_us = until_us - $2::bigint where name = $1)
  update ${schema}.latch_waiter set until_us = until_us - $2::bigint where name = $1`

/** Has the store be another one, as after a fail-over. */
const moveSql = `
  insert into ${schema}.store (id) values (lpad($1, 32, '0')::uuid) on conflict (is_this) do update set id = excluded.id`

/** Runs sequences of steps with the real functions on a real server, each on a latch of its own. */
export class PostgresLatch {
  readonly #sender: Client
  readonly #listener: Client
  #messages: string[] = []
  #onMarker: () => void = () => undefined

  private constructor(url: string) {
    const types = { getTypeParser: () => (value: string) => value }
    this.#sender = new Client({ connectionString: url, types })
    this.#listener = new Client({ connectionString: url })
  }

  /** @param url - of a database that has the schema */
  static async open(url: string): Promise<PostgresLatch> {
    const latches = new PostgresLatch(url)
    await Promise.all([latches.#sender.connect(), latches.#listener.connect()])
    latches.#listener.on('notification', ({ channel, payload = '' }) => {
      if (channel === channelOf('marker')) latches.#onMarker()
      else latches.#messages.push(`${channel.slice(channelOf('').length)}: ${payload}`)
    })
    for (const id of ['marker', ...clientIds]) await latches.#listener.query(`listen "${channelOf(id)}"`)
    return latches
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.end(), this.#listener.end()])
  }

  async run(steps: readonly LatchStep[]): Promise<LatchObservation[]> {
    const address = addressOf(uniqueName('latch'), 'latch')
    const seen = new SeenNumbers()
    const observations: LatchObservation[] = []
    let waiting: readonly string[] = []
    // What a step names depends on what the one before it replied.
    for (const step of steps) {
      this.#messages = []
      const reply = await this.#do(step, address, seen)
      const arrived = new Promise<void>((resolve) => (this.#onMarker = resolve))
      const { state, count, parties, waiters, ttlMs } = await this.#run(calls.inspect(address.id, 100))
      await this.#sender.query('select pg_notify($1, $2)', [channelOf('marker'), ''])
      await arrived
      const left = [replyText({ kind: 'done', state }, seen), count, [...parties].sort(), [...waiters].sort()]
      // A client whose time is over may be notified as well. That makes no difference to anyone.
      const notices = this.#messages.filter((message) => waiting.includes(message.slice(0, 1)))
      waiting = waiters
      observations.push({
        reply,
        notices: notices.map((message) => noticeText(message, seen)).sort(),
        left: left.join(' | '),
        ttlMs,
      })
    }
    return observations
  }

  async #do(step: LatchStep, address: ReturnType<typeof addressOf>, seen: SeenNumbers): Promise<string> {
    const { id } = address
    switch (step.kind) {
      case 'set':
        await this.#sender.query(moveSql, [step.incarnation])
        return replyText(await this.#run(calls.set(id, { ...step, named: seen.find(step.named) })), seen)
      case 'count down':
        return replyText(
          await this.#run(calls.countDown(id, { ...step, named: seen.find(step.named) })),
          seen,
        )
      case 'delete':
        return replyText(await this.#run(calls.delete(id, { ...step, named: seen.find(step.named) })), seen)
      case 'wait': {
        const { clientId, aliveMs } = step
        const generation = step.awaited ? seen.find(step.awaited.seen) : 0
        const awaited = step.awaited && generation > 0 ? { ...step.awaited, generation } : undefined
        const [reply] = await this.#run(
          calls.wait([{ address, awaited, aliveMs }], clientId, channelOf(clientId)),
        )
        return reply ? waitText(reply, seen) : ''
      }
      case 'pass':
        await this.#sender.query(passSql, [id, step.ms * 1_000])
        return ''
    }
  }

  async #run<T>(step: Step<T>): Promise<T> {
    const query = { text: step.text, values: [...step.values], rowMode: 'array' as const }
    const { rows } = await this.#sender.query<(string | null)[]>(query)
    return step.read(rows)
  }
}

function replyText({ kind, state }: LatchReply, seen: SeenNumbers): string {
  const { generation, first, opened, left, previous } = state
  const names = [generation, first, opened, previous].map((number) => seen.nameOf(number))
  return `${kind} ${names.join(' ')} left ${left}`
}

function waitText(reply: LatchWaitReply, seen: SeenNumbers): string {
  if (reply.kind === 'passed') return `1 ${seen.nameOf(reply.generation)}`
  if (reply.kind !== 'closed') return '-1'
  return `${reply.awaited.isBound ? 2 : 0} ${seen.nameOf(reply.awaited.generation)}`
}

function noticeText(message: string, seen: SeenNumbers): string {
  const notice = readNotice(message.slice('A: '.length))
  const isKnown = notice?.kind === 'open' || notice?.kind === 'gone'
  return isKnown ? `${message.slice(0, 1)}: ${notice.kind} ${seen.nameOf(notice.generation)}` : message
}
