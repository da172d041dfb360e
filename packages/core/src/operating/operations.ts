import { clientOf } from '../engine/owner.js'
import type { ConnectedClient, OperatorSession } from '../engine/operator.js'
import type { ClientInfo } from '../engine/replies.js'
import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { ClosedError, InvalidArgumentError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Evictions } from '../holding/evictions.js'
import { LockListing } from './listing.js'
import { LossLog } from './loss-log.js'
import { textOf } from './messages.js'
import type { EvictionNote } from './messages.js'
import { ownPace } from './pace.js'
import { resolveListing, resolveClientReports } from './options.js'
import type { LocksOptions, ClientReportsOptions } from './options.js'
import type { ClientReport } from './report.js'
import { readMessage } from './read-message.js'
import { Reporter } from './reporter.js'
import type { ReporterDeps } from './reporter.js'
import { ReportCollector } from './report-collector.js'
import type { Ready } from '../waiting/readiness.js'
import { WaitMeter } from './wait-meter.js'

/** Knows which owners it has. */
interface Findable {
  find(owner: string): object | undefined
}

/** What operations need of their client. */
export interface OperationsDeps extends Pick<ReporterDeps, 'registerEveryMs' | 'background'> {
  readonly holds: ReporterDeps['holds'] & Findable
  readonly waiters: ReporterDeps['waiters'] & Findable
  readonly clientId: string
  readonly client: ClientInfo
  readonly engine: string
  readonly session: EngineSession
  readonly events: Pick<Events, 'on' | 'off'>
  readonly evictions: Evictions
  readonly readiness: Ready
}

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
  readonly #deps: OperationsDeps
  readonly #reporter: Reporter
  readonly #collector: ReportCollector
  readonly #closing = new AbortController()

  constructor(deps: OperationsDeps) {
    this.#deps = deps
    const { clientId, engine, session, events } = deps
    const { operator, registry, inbox } = session
    const losses = new LossLog()
    if (operator) events.on('lost', (loss) => losses.add(loss))
    this.#reporter = new Reporter({ ...deps, operator, registry, meter: new WaitMeter(events), losses })
    this.#collector = new ReportCollector({
      clientId,
      engine,
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
    const { session, engine } = this.#deps
    const request = resolveListing(options)
    const deps = {
      storeName: session.store.name ?? engine,
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
    const { clientId, session, evictions } = this.#deps
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
    const { holds, waiters, evictions } = this.#deps
    if (holds.find(owner) || waiters.find(owner)) evictions.note(owner, by)
  }

  get #operator(): OperatorSession {
    const { session, engine } = this.#deps
    if (session.operator) return session.operator
    throw new InvalidArgumentError(
      `the engine ${engine} can list neither locks nor clients as it is set up here: its traits have no \`operator\``,
    )
  }

  async #ready(): Promise<void> {
    await this.#deps.readiness.ready(this.#anyAddress())
  }

  /** It only decides which server of a cluster is asked first. */
  #anyAddress(): Address {
    return this.#deps.session.names.locate('holdfast', 'lock')
  }
}
