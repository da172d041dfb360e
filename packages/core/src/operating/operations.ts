import { nanoid } from 'nanoid'
import type { ConnectedClient, OperatorSession } from '../engine/session.js'
import { clientOf, type Address } from '../engine/requests.js'
import { ClosedError, InvalidArgumentError, UnavailableError } from '../errors/errors.js'
import type { OwnerReport, OwnerReports } from '../objects/entrance.js'
import { checkBoolean, checkInteger, checkOptions, checkString } from '../options/checks.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../time/time.js'
import { shown } from '../util/mistakes.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { anyAddress, LockListing, type ListingRequest } from './listing.js'
import {
  readMessage,
  textOf,
  type Answer,
  type ClientReport,
  type EvictionNote,
  type Question,
} from './messages.js'
import { Reporter } from './reporter.js'

/** `inspect()` does not keep its caller waiting for clients that are frozen. */
const reportWithinMs = 250

/** What operators see and do through one client, and what this client reports to those of others. */
export class Operations {
  readonly #store: StoreClient
  readonly #reporter: Reporter
  readonly #collector: ReportCollector
  readonly #closing = new AbortController()

  constructor(store: StoreClient) {
    this.#store = store
    this.#reporter = new Reporter(store)
    this.#collector = new ReportCollector(store, this.#reporter)
  }

  onMessage(text: string): void {
    const message = readMessage(text)
    switch (message?.kind) {
      case 'ask':
        this.#reporter.answer(message.content)
        return
      case 'report':
        this.#collector.reported(message.content)
        return
      case 'evicting':
        this.#noteEviction(message.content)
        return
      case undefined:
    }
  }

  locks(options: LocksOptions): LockListing {
    const request = resolveListing(options)
    return new LockListing(this.#store, this.#operator, request, this.#closing.signal)
  }

  async clients(): Promise<readonly ConnectedClient[]> {
    const operator = this.#operator
    await this.#ready()
    return operator.clients()
  }

  async clientReports(options: ClientReportsOptions): Promise<ClientReport[]> {
    const call = resolveClientReports(options)
    const { withinMs, name } = call
    const operator = this.#operator
    await this.#ready()
    const clientIds = call.clientIds ?? (await operator.clients()).map(({ clientId }) => clientId)
    const spreadMs = call.spreadMsFor(clientIds.length)
    return this.#collector.ask({ clientIds, name, withinMs, spreadMs }, anyAddress(this.#store))
  }

  /** Asks the clients of these owners, all of whom are about one object. */
  async reportsOf(address: Address, owners: readonly string[]): Promise<OwnerReports> {
    const clientIds = [...new Set(owners.map(clientOf))]
    const reported = new Map<string, OwnerReport>()
    const call = { clientIds, name: address.name, withinMs: reportWithinMs, spreadMs: 0 }
    // What the store says is worth having without them.
    const reports = await this.#collector.ask(call, address).catch(() => [])
    for (const { holds, queue } of reports) {
      for (const { owner, waitedMs } of queue) reported.set(owner, { ageMs: waitedMs, fencingToken: 0 })
      for (const { owner, heldMs, fencingToken } of holds)
        reported.set(owner, { ageMs: heldMs, fencingToken })
    }
    return (owner) => reported.get(owner)
  }

  /** Tells the client of an owner who is about to evict it. It is evicted whether or not that succeeds. */
  async announce(address: Address, owner: string, by: string): Promise<void> {
    const { clientId, session, evictions } = this.#store
    const client = clientOf(owner)
    if (client === clientId) evictions.note(owner, by)
    else
      await session.operator
        ?.send([client], textOf({ kind: 'evicting', content: { owner, by } }), address)
        .catch(() => undefined)
  }

  close(): void {
    this.#reporter.close()
    this.#collector.close()
    this.#closing.abort(new ClosedError('the Holdfast client is closed'))
  }

  /** Anyone may publish one. About an owner that has nothing here, it is noise. */
  #noteEviction({ owner, by }: EvictionNote): void {
    const { holds, waiters, evictions } = this.#store
    if (holds.find(owner) || waiters.find(owner)) evictions.note(owner, by)
  }

  get #operator(): OperatorSession {
    const { session, engine } = this.#store
    if (session.operator) return session.operator
    throw new InvalidArgumentError(
      `the engine ${engine.name} can list neither locks nor clients as it is set up here: its traits have no \`operator\``,
    )
  }

  async #ready(): Promise<void> {
    await this.#store.firstUse.ready(anyAddress(this.#store))
  }
}

/** What `holdfast.locks()` lists. */
export interface LocksOptions {
  /**
   * Of names: `*` stands for any text, `?` for one character, and `\` has the next character mean itself.
   *
   * @defaultValue `*`
   */
  readonly pattern?: string | undefined
  /** How many to list at most. At least 1. No limit by default, and with `Infinity`. */
  readonly limit?: number | undefined
  /** Only those that have a queue. */
  readonly contended?: boolean | undefined
  /**
   * Refuses a store with more keys than this, of whatever kind: a listing looks at each of them. At least 1, or `Infinity`.
   *
   * @defaultValue 1_000_000
   */
  readonly maxKeys?: number | undefined
  /** Stops the listing, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Whom `holdfast.clientReports()` asks what. A client that is asked more than it has time for answers late or not at all, so that its
 * renewals are in time: its report is missing.
 */
export interface ClientReportsOptions {
  /**
   * How long to wait for reports, milliseconds. At least 1.
   *
   * @defaultValue 1_000
   */
  readonly withinMs?: number | undefined
  /** Which clients to ask. All that `clients()` lists, by default. */
  readonly clientIds?: readonly string[] | undefined
  /** List only holds, waits and losses of this name. Counts are still those of the whole client. */
  readonly name?: string | undefined
  /**
   * Has clients report at random instants within this time, milliseconds, so that their reports do not all arrive at once. At
   * most half of `withinMs`.
   *
   * @defaultValue 0 for up to 20 clients, otherwise half of `withinMs`
   */
  readonly spreadMs?: number | undefined
}

export interface ResolvedClientReports {
  readonly withinMs: number
  readonly clientIds: readonly string[] | undefined
  readonly name: string | undefined
  spreadMsFor(clients: number): number
}

const locksOptionNames = new Set(['pattern', 'limit', 'contended', 'maxKeys', 'signal'])
const clientReportsOptionNames = new Set(['withinMs', 'clientIds', 'name', 'spreadMs'])

const defaultMaxKeys = 1_000_000
/** Reports of so few clients may arrive at once. */
const fewClients = 20

function resolveListing(options: LocksOptions): ListingRequest {
  checkOptions(options, locksOptionNames)
  const { pattern = '*', limit = Infinity, contended = false, maxKeys = defaultMaxKeys, signal } = options
  checkString('pattern', pattern)
  if (limit !== Infinity) checkInteger('limit', limit, 1, ' or Infinity')
  if (maxKeys !== Infinity) checkInteger('maxKeys', maxKeys, 1, ' or Infinity')
  checkBoolean('contended', contended)
  const given: unknown = signal
  if (given !== undefined && !(given instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal, got ${shown(given)}`)
  }
  return { pattern, limit, contended, maxKeys, signal }
}

function resolveClientReports(options: ClientReportsOptions): ResolvedClientReports {
  checkOptions(options, clientReportsOptionNames)
  const { withinMs = 1_000, clientIds, name, spreadMs } = options
  checkInteger('withinMs', withinMs, 1)
  checkString('name', name)
  const half = Math.floor(withinMs / 2)
  checkInteger('spreadMs', spreadMs, 0)
  if (spreadMs !== undefined && spreadMs > half) {
    throw new InvalidArgumentError(`spreadMs must be at most ${half}, half of withinMs, got ${spreadMs}`)
  }
  checkIds(clientIds)
  return {
    withinMs,
    clientIds,
    name,
    spreadMsFor: (clients) => spreadMs ?? (clients <= fewClients ? 0 : half),
  }
}

function checkIds(clientIds: unknown): void {
  if (clientIds === undefined) return
  const isOne = (id: unknown): boolean => typeof id === 'string' && id !== ''
  // `every` skips the holes of an array.
  if (Array.isArray(clientIds) && clientIds.every(isOne) && !clientIds.includes(undefined)) return
  throw new InvalidArgumentError(
    `clientIds must be an array of client ids, as clients() lists them, got ${shown(clientIds)}`,
  )
}

export interface Collection {
  readonly clientIds: readonly string[]
  readonly name?: string | undefined
  readonly withinMs: number
  readonly spreadMs: number
}

interface PendingCollection {
  readonly missing: Set<string>
  readonly reports: ClientReport[]
  end(error?: ClosedError): void
}

/** How many clients one step asks, so that it holds up the store for well under a millisecond. */
const askedAtOnce = 100

/** Asks clients for reports, and collects what they send. */
export class ReportCollector {
  readonly #store: StoreClient
  readonly #reporter: Reporter
  readonly #pending = new Map<string, PendingCollection>()
  #isClosed = false

  constructor(store: StoreClient, reporter: Reporter) {
    this.#store = store
    this.#reporter = reporter
  }

  /**
   * The reports that came in time. Resolves as soon as all clients have reported that the question reached.
   *
   * @param address - any object: it only decides where in the store to subscribe
   */
  async ask(call: Collection, address: Address): Promise<ClientReport[]> {
    if (this.#isClosed) throw closed()
    const { clientId, inbox, session } = this.#store
    const endAt = monotonicMs() + call.withinMs
    const others = new Set(call.clientIds)
    const own = others.delete(clientId) ? [this.#reporter.report(call.name)] : []
    // Without an operator there is no way to ask other clients.
    if (others.size === 0 || !session.operator) return own
    if ((await withTimeout(inbox.subscribe(address), call.withinMs)) === timedOut)
      throw this.#notSubscribed(call)
    const withinMs = Math.max(0, endAt - monotonicMs())
    const spreadMs = Math.min(call.spreadMs, Math.floor(withinMs / 2))
    return [...own, ...(await this.#askOthers({ ...call, withinMs, spreadMs }, others))]
  }

  /**
   * Takes a report. Anyone may publish one. The id, which only those know that were asked, is the proof that it is no stranger's; it
   * is none against another client that was asked.
   */
  reported({ id, report }: Answer): void {
    const pending = this.#pending.get(id)
    if (!pending?.missing.has(report.clientId)) return
    pending.reports.push(report)
    this.#unneeded(pending, [report.clientId])
  }

  close(): void {
    this.#isClosed = true
    for (const pending of this.#pending.values()) pending.end(closed())
  }

  async #askOthers(call: Collection, missing: Set<string>): Promise<ClientReport[]> {
    if (this.#isClosed) throw closed()
    const id = nanoid()
    const reports: ClientReport[] = []
    let timer: NodeJS.Timeout | undefined
    const ended = new Promise<void>((resolve, reject) => {
      const end = (error?: ClosedError): void => {
        if (error) reject(error)
        else resolve()
      }
      this.#pending.set(id, { missing, reports, end })
      timer = setTimeout(end, call.withinMs)
    })
    const sent = this.#send(id, call, [...missing])
    // Each may fail, or end, before the other.
    for (const one of [ended, sent]) one.catch(() => undefined)
    try {
      await Promise.race([
        ended,
        sent.then(
          () => ended,
          (error: unknown) => onTheirWay(ended, error),
        ),
      ])
      return reports
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  async #send(id: string, { name, spreadMs }: Collection, clientIds: readonly string[]): Promise<void> {
    const { session, clientId: from } = this.#store
    const content: Question = { id, from, name, spreadMs }
    const text = textOf({ kind: 'ask', content })
    for (let i = 0; i < clientIds.length; i += askedAtOnce) {
      const asked = clientIds.slice(i, i + askedAtOnce)
      const reached = (await session.operator?.send(asked, text)) ?? []
      const pending = this.#pending.get(id)
      if (!pending) return
      const gone = asked.filter((_, n) => reached[n] === false)
      this.#unneeded(pending, gone)
    }
  }

  #notSubscribed({ withinMs }: Collection): UnavailableError {
    const text = `no client could be asked within ${withinMs} ms, since this one receives no notifications now`
    return new UnavailableError(text, { engine: this.#store.engine.name })
  }

  #unneeded(pending: PendingCollection, clientIds: readonly string[]): void {
    for (const clientId of clientIds) pending.missing.delete(clientId)
    if (pending.missing.size === 0) pending.end()
  }
}

/** A question whose acknowledgement was lost may have arrived, and its reports with the failure. */
async function onTheirWay(ended: Promise<void>, error: unknown): Promise<void> {
  if (!(error instanceof UnavailableError) || (await withTimeout(ended, lateMs)) === timedOut) throw error
}

const lateMs = 100

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
