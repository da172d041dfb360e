import type { ConnectedClient, OperatorSession } from '../engine/operator.js'
import { clientOf } from '../engine/requests.js'
import type { Address } from '../engine/requests.js'
import { ClosedError, InvalidArgumentError } from '../errors/errors.js'
import { checkInteger, checkOptions, checkString } from '../options/checks.js'
import type { StoreClient } from '../store-client.js'
import { shown } from '../util/mistakes.js'
import { LockListing } from './listing.js'
import type { ListingRequest } from './listing.js'
import { LossLog, readMessage, textOf } from './messages.js'
import type { ClientReport, EvictionNote } from './messages.js'
import { ownPace } from './pace.js'
import { ReportCollector } from './report-collector.js'
import { Reporter } from './reporter.js'
import { WaitMeter } from './wait-meter.js'

/** What a client says of one of its owners. */
export interface OwnerReport {
  /** For how long it has held the object or waited for it. */
  readonly ageMs: number
  /** Of its hold; 0: none. */
  readonly fencingToken: number
}

/** What the client of an owner says of it, if it does. */
export type OwnerReports = (owner: string) => OwnerReport | undefined

/** `inspect()` does not keep its caller waiting for clients that are frozen. */
const reportWithinMs = 250
const mostOwners = 1_000

/** What operators see and do through one client, and what this client reports to those of others. */
export class Operations {
  readonly #store: StoreClient
  readonly #reporter: Reporter
  readonly #collector: ReportCollector
  readonly #closing = new AbortController()

  constructor(store: StoreClient) {
    this.#store = store
    const { clientId, engine, session, events } = store
    const { operator, registry, inbox } = session
    const losses = new LossLog()
    if (operator) events.on('lost', (loss) => losses.add(loss))
    const { client, renewEveryMs: registerEveryMs, holds, waiters, background } = store
    const own = { clientId, client, operator, registry, registerEveryMs, holds, waiters, background }
    this.#reporter = new Reporter({ ...own, meter: new WaitMeter(events), losses })
    this.#collector = new ReportCollector({
      clientId,
      engine: engine.name,
      operator,
      inbox,
      report: (question) => this.#reporter.report(question, ownPace),
    })
  }

  /** Takes a text from another client. */
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
    const { session, storeName } = this.#store
    const request = resolveListing(options)
    const deps = {
      storeName,
      steps: session.steps,
      operator: this.#operator,
      latches: session.latches,
      closing: this.#closing.signal,
      ready: () => this.#ready(),
    }
    return new LockListing(deps, request)
  }

  async clients(): Promise<readonly ConnectedClient[]> {
    const operator = this.#operator
    await this.#ready()
    return operator.clients()
  }

  async clientReports(options: ClientReportsOptions): Promise<ClientReport[]> {
    const call = resolveClientReports(options)
    const { withinMs, limit, name } = call
    const operator = this.#operator
    await this.#ready()
    const clientIds = call.clientIds ?? (await operator.clients()).map(({ clientId }) => clientId)
    const spreadMs = call.spreadMsFor(clientIds.length)
    return this.#collector.ask({ clientIds, limit, name, withinMs, spreadMs }, this.#anyAddress())
  }

  /** Asks the clients of these owners, all of whom are about one object. */
  async reportsOf(address: Address, owners: readonly string[]): Promise<OwnerReports> {
    const clientIds = [...new Set(owners.map(clientOf))]
    const reported = new Map<string, OwnerReport>()
    const call = { clientIds, limit: mostOwners, name: address.name, withinMs: reportWithinMs, spreadMs: 0 }
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
    await this.#store.firstUse.ready(this.#anyAddress())
  }

  /** It only decides which server of a cluster is asked first. */
  #anyAddress(): Address {
    return this.#store.names.locate('holdfast', 'lock')
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
  /**
   * How many holds and how many waits of each client to report, the oldest first. From 0 to 10,000.
   *
   * @defaultValue 200
   */
  readonly limit?: number | undefined
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

/** What `clientReports()` is to ask, after checks and defaults. */
export interface ResolvedClientReports {
  readonly withinMs: number
  readonly limit: number
  readonly clientIds: readonly string[] | undefined
  readonly name: string | undefined
  spreadMsFor(clients: number): number
}

const locksOptions: Record<keyof LocksOptions, true> = {
  pattern: true,
  limit: true,
  contended: true,
  maxKeys: true,
  signal: true,
}
const clientReportsOptions: Record<keyof ClientReportsOptions, true> = {
  withinMs: true,
  limit: true,
  clientIds: true,
  name: true,
  spreadMs: true,
}
const locksOptionNames = new Set(Object.keys(locksOptions))
const clientReportsOptionNames = new Set(Object.keys(clientReportsOptions))

const defaultMaxKeys = 1_000_000
const mostReported = 10_000
/** Reports of so few clients may arrive at once. */
const fewClients = 20

/** Checks the options of a listing and fills in the defaults. */
function resolveListing(options: LocksOptions): ListingRequest {
  checkOptions(options, locksOptionNames)
  const { pattern = '*', limit = Infinity, contended = false, maxKeys = defaultMaxKeys, signal } = options
  checkString('pattern', pattern)
  if (limit !== Infinity) checkInteger('limit', limit, 1, ' or Infinity')
  if (maxKeys !== Infinity) checkInteger('maxKeys', maxKeys, 1, ' or Infinity')
  const isContended: unknown = contended
  if (typeof isContended !== 'boolean') {
    throw new InvalidArgumentError(`contended must be true or false, got ${shown(isContended)}`)
  }
  const given: unknown = signal
  if (given !== undefined && !(given instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal, got ${shown(given)}`)
  }
  return { pattern, limit, contended, maxKeys, signal }
}

/** Checks the options of `clientReports()` and fills in the defaults. */
function resolveClientReports(options: ClientReportsOptions): ResolvedClientReports {
  checkOptions(options, clientReportsOptionNames)
  const { withinMs = 1_000, limit = 200, clientIds, name, spreadMs } = options
  checkInteger('withinMs', withinMs, 1)
  checkString('name', name)
  checkBetween('limit', limit, mostReported)
  const half = Math.floor(withinMs / 2)
  checkBetween('spreadMs', spreadMs, half, ', half of withinMs')
  checkIds(clientIds)
  return {
    withinMs,
    limit,
    clientIds,
    name,
    spreadMsFor: (clients) => spreadMs ?? (clients <= fewClients ? 0 : half),
  }
}

function checkBetween(option: string, value: number | undefined, most: number, more = ''): void {
  checkInteger(option, value, 0)
  if (value === undefined || value <= most) return
  throw new InvalidArgumentError(`${option} must be at most ${most}${more}, got ${value}`)
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
