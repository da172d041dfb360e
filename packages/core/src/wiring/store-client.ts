import { Watchdog } from '@holdfast/watchdog'
import type { RenewalOutcome } from '@holdfast/watchdog'
import { publishConnection } from '../channels/connection.js'
import type { ConnectionMessage } from '../channels/contexts.js'
import { outsideAllCalls } from '../channels/outside-all-calls.js'
import { traceRenew } from '../channels/renew.js'
import type { ClientInfo } from '../engine/replies.js'
import type { Address } from '../engine/requests.js'
import type { EngineHost } from '../engine/host.js'
import type { EngineSession, LockEngine } from '../engine/session.js'
import type { HoldfastError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { Abandonment } from '../holding/abandonment.js'
import type { Hold } from '../holding/hold.js'
import { HoldTable } from '../holding/hold-table.js'
import type { HoldObserver } from '../holding/hold-table.js'
import { Evictions } from '../operating/evictions.js'
import { Oversight } from '../operating/oversight.js'
import type { Settings } from '../options/options.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { Background } from '../util/background.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import { LastError } from '../util/last-error.js'
import { Housekeeping } from '../waiting/housekeeping.js'
import { Looks } from '../waiting/looks.js'
import { Notifications } from '../waiting/notifications.js'
import { Proofs } from '../waiting/proofs.js'
import { Readiness } from '../waiting/readiness.js'
import { WaiterTable } from '../waiting/waiter-table.js'

const outcomeOf = { renewed: 'renewed', 'not-held': 'lost', 'no-reply': 'unknown' } as const

/** What the parts for one store need of the client that they belong to. */
export interface StoreClientDeps {
  readonly clientId: string
  readonly client: ClientInfo
  readonly settings: Settings
  readonly events: Events
  readonly background: Background
  readonly holdObserver: HoldObserver<Hold> | undefined
  /** Throws once the client closes. */
  assertOpen(): void
  /** The first-use checks have passed. */
  onReady(): void
  /** Messages of any object may have been missed. */
  onMissed(): void
  /** Messages stopped coming. */
  onUnsubscribed(cause: unknown): void
  /** Commands can be sent again after a break. */
  onReconnected(): void
  /** The store reported an error of its own accord. */
  onError(error: unknown): void
}

/** The parts that a client has for one store, put together: a session, what is held and awaited through it, and what keeps both alive. */
export class StoreClient {
  readonly session: EngineSession
  readonly holds: HoldTable<Hold>
  readonly waiters: WaiterTable
  readonly abandonment: Abandonment
  readonly proofs = new Proofs()
  readonly #looks = new Looks()
  readonly watchdog: Watchdog<Hold>
  readonly housekeeping: Housekeeping
  readonly oversight: Oversight
  /** Who evicts this owner, if that was announced. */
  readonly evictorOf: (owner: string) => string | undefined
  /** Whether waiters have to request again and again. */
  readonly polls: boolean
  /** Whether they queue at the store all the same. */
  readonly queuesUnnotified: boolean
  readonly #deps: StoreClientDeps
  readonly #notifications: Notifications
  readonly #readiness: Readiness
  readonly #reported = new LastError<HoldfastError>()
  readonly #engine: string
  #isClosed = false

  constructor(deps: StoreClientDeps, engine: LockEngine) {
    this.#deps = deps
    this.#engine = engine.name
    const { settings, events, background, holdObserver } = deps
    const holds = new HoldTable(holdObserver)
    this.holds = holds
    const session = engine.open(this.#host())
    this.session = session
    const { store, names, steps, inbox, registry } = session
    const { handOff } = engine.traits
    const pollMs = typeof handOff === 'object' ? handOff.pollMs : undefined
    this.polls = pollMs !== undefined
    this.queuesUnnotified = typeof handOff === 'object' && handOff.queued === true
    const waiters = new WaiterTable({
      maxWaiters: settings.maxWaiters,
      pollMs,
      compete: handOff === 'wake',
      isSubscribed: (address) => inbox.isSubscribed(address),
      onOpened: ({ name }, generation) => {
        events.emit('opened', { name, kind: 'latch', generation })
      },
    })
    this.waiters = waiters
    this.abandonment = new Abandonment({ store, steps, settings, background, events })
    const latches = session.latches && {
      latches: session.latches,
      aliveMs: settings.watchdogTimeoutMs,
      timeoutMs: settings.commandTimeoutMs,
    }
    this.#notifications = new Notifications({
      clientId: deps.clientId,
      names,
      holds,
      waiters,
      abandonment: this.abandonment,
      proofs: this.proofs,
      looks: this.#looks,
      latches,
      background,
    })
    const watchdog = new Watchdog<Hold>({
      renew: this.#renew,
      now: monotonicMs,
      onError: (error) => {
        events.emitError(error)
      },
    })
    this.watchdog = watchdog
    this.housekeeping = new Housekeeping({
      everyMs: settings.renewEveryMs,
      steps,
      registry,
      latches,
      holds,
      waiters,
      watchdog,
      background,
    })
    const evictions = new Evictions()
    this.evictorOf = (owner) => evictions.take(owner)
    this.oversight = new Oversight({
      clientId: deps.clientId,
      client: deps.client,
      engine: engine.name,
      session,
      events,
      holds,
      waiters,
      evictions,
      registerEveryMs: settings.renewEveryMs,
      ready: (address) => this.ready(address),
      background: (work) => {
        background.run(work)
      },
    })
    this.#readiness = new Readiness({
      session,
      assertOpen: () => {
        deps.assertOpen()
      },
      onReady: () => {
        this.#publish('connected')
        deps.onReady()
        // Its timer would carry the context of the first call on.
        outsideAllCalls(() => {
          this.housekeeping.begin()
        })
      },
      onSubscribed: () => {
        this.#publish('subscribed')
      },
    })
  }

  /** Runs the first-use checks; `undefined` once they have passed. */
  ready(address: Address): Promise<void> | undefined {
    return this.#readiness.ready(address)
  }

  /** What the store last reported of its own accord, at that instant or after it, or what may keep it from replying now. */
  lastErrorSince(at: number): HoldfastError | undefined {
    return this.#reported.since(at) ?? this.session.store.doubt
  }

  /** Ends what keeps holds and waiters alive, and the session. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.watchdog.close()
    this.housekeeping.end()
    this.#looks.close()
    this.oversight.close()
    await this.session.close()
  }

  /** Nothing is reported before the first command, so all parts exist by then. */
  #host(): EngineHost {
    const { clientId, client, settings, events } = this.#deps
    const { watchdogTimeoutMs, renewEveryMs, commandTimeoutMs } = settings
    return {
      clientId,
      client,
      watchdogTimeoutMs,
      renewEveryMs,
      commandTimeoutMs,
      now: monotonicMs,
      granted: (id, owner, grant) => {
        this.#notifications.granted(id, owner, grant)
      },
      revoked: (owner) => {
        this.#notifications.revoked(owner)
      },
      wake: (id, owner) => {
        this.#notifications.wake(id, owner)
      },
      opened: (id) => {
        this.#notifications.opened(id)
      },
      told: (text) => {
        this.oversight.told(text)
      },
      missed: (id) => {
        if (id !== undefined) {
          this.#notifications.missed(id)
          return
        }
        this.waiters.distrust()
        this.#publish('subscribed')
        this.#deps.onMissed()
        this.housekeeping.checkWaiters()
      },
      unsubscribed: (cause) => {
        this.#publish('unsubscribed')
        this.waiters.distrust()
        this.waiters.unsubscribed()
        this.#deps.onUnsubscribed(cause)
      },
      broken: () => {
        this.#publish('broken')
        this.#endWithSession()
      },
      reconnected: () => {
        this.#publish('connected')
        this.#deps.onReconnected()
        this.housekeeping.recover()
      },
      warn: (code, message) => {
        events.warn(code, message)
      },
      error: (error) => {
        this.#reported.note(toHoldfastError(error))
        this.#deps.onError(error)
      },
    }
  }

  /** Another session may begin now, which none of these belongs to. */
  #endWithSession(): void {
    if (this.session.store.aliveUntil === undefined) return
    for (const hold of this.holds.all) hold.endIfDue()
  }

  #publish(state: ConnectionMessage['state']): void {
    if (this.#isClosed) return
    const { store } = this.session
    const engine = this.#engine
    publishConnection({ clientId: this.#deps.clientId, engine, store: store.name ?? engine, state })
  }

  /** The watchdog's timer carries the context of some call: that call has nothing to do with it. */
  readonly #renew = (holds: readonly Hold[]): Promise<readonly RenewalOutcome[]> =>
    outsideAllCalls(() =>
      traceRenew({ clientId: this.#deps.clientId, engine: this.#engine }, holds, () =>
        this.#sendRenewals(holds),
      ),
    )

  async #sendRenewals(holds: readonly Hold[]): Promise<readonly RenewalOutcome[]> {
    const sentAt = momentNow()
    const renewals = holds.map((hold) => hold.nextRenewal(sentAt))
    const { commandTimeoutMs, renewEveryMs } = this.#deps.settings
    const replies = await this.session.steps.renew(
      renewals,
      Math.ceil(Math.min(commandTimeoutMs, renewEveryMs)),
    )
    return replies.map((reply) => outcomeOf[reply])
  }
}
