import type {
  AcquireReply,
  AcquireRequest,
  ClientInfo,
  EngineHost,
  EngineSession,
  Inspection,
  ObjectType,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
  ResizeReply,
  ResizeRequest,
  SharedInspection,
} from '@holdfast/core/engine'
import { clientOf, TokenFloors, UnavailableError } from '@holdfast/core/engine'
import { addressOf, addressOfId, type PostgresAddress } from './address.js'
import { channelOf } from './channel.js'
import { Listener } from './connection/listener.js'
import { StatementConnection } from './connection/statement-connection.js'
import { checkDatabase } from './database-check.js'
import { engineName, toPostgresError } from './errors.js'
import { LatchSteps } from './latch-steps.js'
import { PostgresLatches } from './latches.js'
import { Migration } from './migrate.js'
import { readNotice } from './notices.js'
import { OperatorSteps } from './operator-steps.js'
import { PostgresOperator } from './operator.js'
import type { PostgresSettings } from './options.js'
import { quoted } from './sql/quoted.js'
import { renewAll } from './renewing.js'
import type { Step } from './step.js'
import { Steps, type Inbox, type PostgresQueueEntry, type PostgresRenewal } from './steps.js'
import { rowsPerSweep, Sweeper } from './sweeper.js'

/** The locks of one client in a PostgreSQL database. */
export class PostgresSession implements EngineSession {
  readonly storeName: string
  readonly latches: PostgresLatches
  readonly operator: PostgresOperator
  readonly #host: EngineHost
  readonly #channel: string
  readonly #steps: Steps
  readonly #migration: Migration
  readonly #statements: StatementConnection
  readonly #listener: Listener
  readonly #sweeper: Sweeper
  readonly #minReplicas: number
  readonly #tokenFloors = new TokenFloors()
  /** Which data the database of this connection has; `undefined` while there is none. */
  #store: string | undefined
  #wasUsable = false

  constructor(host: EngineHost, settings: PostgresSettings) {
    const { commandTimeoutMs, clientId } = host
    const { database } = settings
    const timeoutMs = Math.min(commandTimeoutMs, 10_000)
    this.storeName = database.name
    this.#host = host
    this.#channel = channelOf(clientId)
    this.#minReplicas = settings.minReplicas
    this.#steps = new Steps(quoted(settings.schema))
    this.#migration = new Migration(settings, {
      connectTimeoutMs: timeoutMs,
      limitMs: Math.max(timeoutMs, shortestMigrationLimitMs),
    })
    this.#statements = new StatementConnection({
      database,
      connectTimeoutMs: timeoutMs,
      check: async (query) => {
        const migrate = (): Promise<void> => this.#migration.run()
        this.#store = await checkDatabase(query, settings, this.#wasUsable, migrate)
        this.#wasUsable = true
      },
      onBreak: () => {
        this.#store = undefined
        host.broken()
      },
      onReconnect: () => {
        host.reconnected()
      },
      onError: (error) => {
        host.error(error)
      },
    })
    this.#listener = new Listener({
      database,
      channel: this.#channel,
      pingEveryMs: host.renewEveryMs,
      timeoutMs,
      send: (payload) => this.#run(this.#steps.send(this.#channel, payload)),
      onMessage: (payload) => {
        this.#passOn(payload)
      },
      onGap: () => {
        host.missed()
      },
      onDown: (cause) => {
        host.unsubscribed(toPostgresError(cause, this.storeName))
      },
      onDeaf: () => {
        host.warn('NOTICE_REFUSED', deaf)
      },
    })
    this.latches = new PostgresLatches({
      clientId,
      channel: this.#channel,
      steps: new LatchSteps(quoted(settings.schema)),
      run: (step, latchTimeoutMs) => this.#run(step, latchTimeoutMs),
    })
    const operatorSteps = new OperatorSteps(quoted(settings.schema))
    this.operator = new PostgresOperator({ steps: operatorSteps, run: (step) => this.#run(step) })
    this.#sweeper = new Sweeper(() => this.#run(this.#steps.sweep(rowsPerSweep)))
  }

  get connectionEpoch(): number {
    return this.#statements.epoch
  }

  locate(name: string, object: ObjectType): PostgresAddress {
    return addressOf(name, object)
  }

  resolve(id: string): PostgresAddress {
    return addressOfId(id)
  }

  async prepare(): Promise<void> {
    await this.register()
    this.#listener.start()
    this.#sweeper.start()
  }

  async acquire(address: PostgresAddress, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    const step = this.#steps.acquire(address, request, this.#inbox, this.#tokenFloors.of(address.id))
    const reply = await this.#run(step, timeoutMs)
    if (reply.kind === 'held') this.noteToken(address, reply.token)
    return reply
  }

  release(address: PostgresAddress, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    return this.#run(this.#steps.release(address, request, this.#tokenFloors.of(address.id)), timeoutMs)
  }

  renew(renewals: readonly PostgresRenewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return renewAll(renewals, timeoutMs, (some, waitMs, limitMs) =>
      this.#run(this.#steps.renew(some, waitMs), limitMs, true),
    )
  }

  refresh(entries: readonly PostgresQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#run(this.#steps.refresh(entries, this.#inbox))
  }

  force(address: PostgresAddress, owner: string): Promise<ReleaseReply> {
    const floor = this.#tokenFloors.of(address.id)
    return this.#run(this.#steps.force(address, owner, channelOf(clientOf(owner)), floor))
  }

  resize(address: PostgresAddress, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply> {
    return this.#run(this.#steps.resize(address, request, this.#tokenFloors.of(address.id)), timeoutMs)
  }

  inspect(address: PostgresAddress, limit: number): Promise<Inspection | SharedInspection> {
    return this.#run(this.#steps.inspect(address, limit))
  }

  raiseToken(address: PostgresAddress, token: number, keepMs: number): Promise<void> {
    return this.#run(this.#steps.raiseToken(address, token, keepMs))
  }

  /** What a message says counts once the core has checked its proof. */
  noteToken({ id }: PostgresAddress, token: number): void {
    this.#tokenFloors.saw(id, token)
  }

  uptimeMs(): Promise<number> {
    return this.#run(this.#steps.uptimeMs())
  }

  async incarnation(): Promise<string | undefined> {
    // With each connection it is known which data there is.
    if (this.#store === undefined) await this.register()
    return this.#store
  }

  knownIncarnation(): string | undefined {
    return this.#store
  }

  isSubscribed(): boolean {
    return this.#listener.key !== null
  }

  async subscribe(): Promise<void> {
    try {
      await this.#listener.whenUp()
    } catch (error) {
      throw toPostgresError(error, this.storeName)
    }
  }

  async register(): Promise<void> {
    const { clientId, client, watchdogTimeoutMs } = this.#host
    await this.#run(this.#steps.register(clientId, client, watchdogTimeoutMs))
    await this.#checkStandbys()
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#run(this.#steps.find(clientId))
  }

  async close(): Promise<void> {
    this.#sweeper.close()
    await Promise.all([this.#listener.close(), this.#statements.close(), this.#migration.close()])
  }

  /** The settings of a primary may change while it runs: then nothing is sent until they are as they were. */
  async #checkStandbys(): Promise<void> {
    if (this.#minReplicas === 0) return
    const shortfall = await this.#run(this.#steps.standbys(this.#minReplicas))
    if (shortfall) this.#statements.reconnect(new UnavailableError(shortfall.message, { engine: engineName }))
  }

  get #inbox(): Inbox {
    return { channel: this.#channel, key: this.#listener.key }
  }

  /** @param isUrgent - as renewals are, which save a hold: behind a pooler they would wait for all other statements */
  async #run<T>(step: Step<T>, timeoutMs = this.#host.commandTimeoutMs, isUrgent = false): Promise<T> {
    return step.read(await this.#statements.run(step.text, step.values, timeoutMs, isUrgent))
  }

  #passOn(payload: string): void {
    const notice = readNotice(payload)
    switch (notice?.kind) {
      case 'granted': {
        const { id, token, serverUs } = notice
        for (const { owner, leaseMs, proof } of notice.owners) {
          this.#host.granted(id, owner, { proof, token, leaseMs, serverUs })
        }
        break
      }
      case 'revoked':
        this.#host.revoked(notice.owner)
        break
      case 'open':
        this.#host.opened(notice.id, notice.generation)
        break
      case 'gone':
        this.#host.missed(notice.id)
        break
      case 'told':
        this.#host.told(notice.text)
        break
      case undefined:
    }
  }
}

/** A migration takes a fraction of a second; this leaves room for a busy server, and for others that migrate as well. */
const shortestMigrationLimitMs = 8_000

const deaf =
  'notifications do not arrive, as behind PgBouncer in transaction mode: waiters request their locks once a second, in no ' +
  'order. Give listenUrl, which leads to the same database past the pooler'
