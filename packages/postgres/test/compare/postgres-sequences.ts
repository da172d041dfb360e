import { uniqueName } from '@holdfast/testkit'
import { Client } from 'pg'
import { TokenRanks, type Observation } from '../../../memory/test/compare/observation.js'
import { owners, type Owner } from '../../../memory/test/compare/step.js'
import type { Row } from '../../src/connection/statement.js'
import { readNotice } from '../../src/notices.js'
import type { Call } from '../../src/step.js'
import type { Inbox } from '../../src/steps.js'
import type { State } from './postgres-waiting.js'

const channelOf = (owner: string): string => `compare:${owner}`
const keyOf = (owner: Owner): string => String(1_000 + owners.indexOf(owner))

/** Where an owner's client can be notified. */
export const inboxOf = (owner: Owner): Inbox => ({ channel: channelOf(owner), key: keyOf(owner) })

/** What steps on all kinds of objects have in common. */
interface AnyStep {
  readonly kind: string
  readonly owner?: Owner
}

/** A reply, in words that both stores can be put into, and after how long the owner is to request again, if it says so. */
export interface Answer {
  readonly reply: (string | number)[]
  readonly untilChangeMs?: number
}

/** How one object of a kind is driven. */
export interface PostgresSubject<S> {
  /** What the tables call the object. */
  idOf(name: string): string
  /** Reads all there is of the object, at one instant. */
  readonly readSql: string
  /** The statement that the step sends, if it sends one. */
  callOf(step: S, id: string): Call | undefined
  readReply(step: S, rows: readonly Row[], tokens: TokenRanks): Answer
  /** What is left, from what was read. */
  readState(state: Row, tokens: TokenRanks): State
}

/** A step that was carried out: its reply, what it left, and who could be notified. */
interface Done<S> {
  readonly step: S
  readonly rows: readonly Row[]
  readonly state: Row
  readonly hearing: ReadonlySet<string>
}

/** Runs sequences of steps with the real functions on a real server, each on an object of its own. */
export class PostgresSequences<S extends AnyStep> {
  readonly #sender: Client
  readonly #listener: Client
  readonly #subject: PostgresSubject<S>
  #notices: string[][] = [[]]
  #onLastMarker: () => void = () => undefined

  private constructor(url: string, subject: PostgresSubject<S>) {
    const types = { getTypeParser: () => (value: string) => value }
    const pipelined = { connectionString: url, types, pipeline: true }
    this.#sender = new Client(pipelined)
    this.#listener = new Client({ connectionString: url })
    this.#subject = subject
  }

  /** @param url - of a database that has the schema */
  static async open<S extends AnyStep>(
    url: string,
    subject: PostgresSubject<S>,
  ): Promise<PostgresSequences<S>> {
    const sequences = new PostgresSequences(url, subject)
    await Promise.all([sequences.#sender.connect(), sequences.#listener.connect()])
    sequences.#listener.on('notification', ({ payload = '' }) => sequences.#onMessage(payload))
    for (const name of ['marker', ...owners]) await sequences.#listener.query(`listen "${channelOf(name)}"`)
    return sequences
  }

  async run(steps: readonly S[]): Promise<Observation[]> {
    const subject = this.#subject
    const id = subject.idOf(uniqueName('compare'))
    const tokens = new TokenRanks()
    const hearing = new Set<Owner>(owners)
    await this.#setHearing(hearing)
    this.#notices = [[]]
    const heard = new Promise<void>((resolve) => (this.#onLastMarker = resolve))
    const doing: Promise<Done<S>>[] = []
    for (const [i, step] of steps.entries()) {
      if (step.owner && (step.kind === 'subscribe' || step.kind === 'unsubscribe')) {
        await Promise.all(doing)
        if (step.kind === 'subscribe') hearing.add(step.owner)
        else hearing.delete(step.owner)
        await this.#setHearing(hearing)
      }
      doing.push(this.#do(step, id, new Set(hearing), i === steps.length - 1))
    }
    const done = await Promise.all(doing)
    await heard
    return done.map(({ step, rows, state, hearing: listening }, i) => {
      const { reply, untilChangeMs } = subject.readReply(step, rows, tokens)
      const notices = (this.#notices[i] ?? []).flatMap((payload) =>
        describeNotice(payload, tokens, listening),
      )
      const { ttlMs, ...left } = subject.readState(state, tokens)
      return {
        reply,
        notices,
        ...left,
        ttlMs: { ...ttlMs, ...(untilChangeMs !== undefined && { 'the answer': untilChangeMs }) },
      }
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.end(), this.#listener.end()])
  }

  async #setHearing(hearing: ReadonlySet<Owner>): Promise<void> {
    const locks = [...hearing].map((owner) => `, pg_advisory_lock(${keyOf(owner)})`)
    await this.#listener.query(`select pg_advisory_unlock_all()${locks.join('')}`)
  }

  /** Sends the step, a look at what it left, and a marker that separates its notifications from the next one's. */
  async #do(step: S, id: string, hearing: Set<Owner>, isLast: boolean): Promise<Done<S>> {
    const call = this.#subject.callOf(step, id)
    const [rows, [state = []]] = await Promise.all([
      call ? this.#query(call.text, call.values) : [],
      this.#query(this.#subject.readSql, [id]),
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
}

/** In the words of the memory engine. A notification to a client that does not listen goes nowhere. */
function describeNotice(payload: string, tokens: TokenRanks, hearing: ReadonlySet<string>): string[] {
  const notice = readNotice(payload)
  if (notice?.kind === 'revoked') return hearing.has(notice.owner) ? [`revoked ${notice.owner}`] : []
  if (notice?.kind !== 'granted') return []
  const [kind = ''] = payload.split(' ')
  return notice.owners
    .filter(({ owner }) => hearing.has(owner))
    .map(({ owner, leaseMs }) => `${kind} ${owner} ${tokens.rankOf(notice.token)} ${leaseMs}`)
}
