import { Watchdog } from '@holdfast/watchdog'
import type { Channels, ConnectionChannel } from '../channels/channels.js'
import type { ClientInfo } from '../engine/replies.js'
import type { EngineHost } from '../engine/host.js'
import type { EngineSession, LockEngine } from '../engine/session.js'
import type { Closing } from '../ownership/closing.js'
import { StoreSilence } from '../errors/store-silence.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { Events } from '../events/events.js'
import { Abandonment } from '../holding/abandonment.js'
import { Evictions } from '../holding/loss.js'
import type { Hold } from '../holding/hold.js'
import { HoldTable } from '../holding/hold-table.js'
import type { HoldObserver } from '../holding/hold-table.js'
import { Renewals } from '../holding/renewals.js'
import type { Operations, OperationsDeps } from '../operating/operations.js'
import type { Settings } from '../options/options.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { Housekeeping } from '../waiting/housekeeping.js'
import { Looks, Notifications, Proofs } from '../waiting/notifications.js'
import { Readiness } from '../waiting/readiness.js'
import { WaiterTable } from '../waiting/waiter-table.js'

/** Learns what becomes of the connection to one store. */
export interface StoreObserver {
  /** The store replies, for the first time or again, or what was missed is made up for. */
  reached(): void
  /** Messages stopped coming. */
  unsubscribed(cause: unknown): void
  /** Commands can be sent again after a break. */
  reconnected(): void
  /** The store reported an error of its own accord. */
  error(error: unknown): void
}

/** What the parts for one store need of the client that they belong to. */
export interface StoreClientDeps {
  readonly client: ClientInfo
  readonly clientId: string
  readonly settings: Settings
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly channels: Channels | undefined
  readonly holdObserver: HoldObserver<Hold> | undefined
  /** What operators see and do, if that is wanted. */
  readonly openOperations: ((deps: OperationsDeps) => Operations) | undefined
  /** The steps of further kinds of objects, for the session to carry. */
  readonly carried: readonly unknown[]
  readonly observer: StoreObserver
  /** Called with each round of housekeeping. */
  readonly onRound?: () => void
}

/** The parts that a client has for one store, put together: a session, what is held and awaited through it, and what keeps both alive. */
export class StoreClient {
  readonly session: EngineSession
  readonly holds: HoldTable<Hold>
  readonly waiters: WaiterTable
  readonly abandonment: Abandonment
  readonly evictions = new Evictions()
  readonly proofs = new Proofs()
  readonly watchdog: Watchdog<Hold>
  readonly housekeeping: Housekeeping
  readonly operations: Operations | undefined
  readonly readiness: Readiness
  readonly silence: StoreSilence
  readonly looks = new Looks()
  /** Whether waiters have to request again and again. */
  readonly polls: boolean
  /** Whether they queue at the store all the same. */
  readonly queuesUnnotified: boolean
  readonly #deps: StoreClientDeps
  readonly #channel: ConnectionChannel | undefined

  constructor(deps: StoreClientDeps, engine: LockEngine) {
    this.#deps = deps
    const { clientId, client, settings, events, background, closing, observer } = deps
    const { proofs, evictions, looks } = this
    const { handOff } = engine.traits
    const pollMs = typeof handOff === 'object' ? handOff.pollMs : undefined
    this.polls = pollMs !== undefined
    this.queuesUnnotified = typeof handOff === 'object' && handOff.queued === true
    const holds = new HoldTable(deps.holdObserver)
    this.holds = holds
    const waiters = new WaiterTable({
      maxWaiters: settings.maxWaiters,
      pollMs,
      compete: handOff === 'wake',
      isSubscribed: (address) => this.session.inbox.isSubscribed(address),
      onOpened: ({ name }, generation) => events.emit('opened', { name, kind: 'latch', generation }),
    })
    this.waiters = waiters
    const notifications = new Notifications({ clientId, holds, waiters, proofs, looks, background })
    const session = engine.open(this.#host(notifications))
    this.session = session
    for (const steps of deps.carried) session.carry?.(steps)
    const { store, names, steps, registry } = session
    const silence = new StoreSilence(store)
    this.silence = silence
    this.#channel = deps.channels?.connectionTo(store.name ?? engine.name)
    const abandonment = new Abandonment({ store, steps, settings, background, events })
    this.abandonment = abandonment
    notifications.begin({ names, abandonment })
    const renewals = new Renewals({ channels: deps.channels, steps, settings })
    const watchdog = new Watchdog<Hold>({
      renew: (due) => renewals.send(due),
      now: monotonicMs,
      onError: (error) => events.emitError(error),
    })
    this.watchdog = watchdog
    const everyMs = settings.renewEveryMs
    const kept = { holds, waiters, watchdog, background, onRound: deps.onRound }
    this.housekeeping = new Housekeeping({ everyMs, steps, registry, ...kept })
    const channel = this.#channel
    const asked = (): void => silence.preparing()
    const reached = (): void => {
      silence.replied()
      observer.reached()
    }
    const { housekeeping } = this
    this.readiness = new Readiness({ session, closing, channel, observer: { asked, reached }, housekeeping })
    this.operations = deps.openOperations?.({
      clientId,
      client,
      engine: engine.name,
      session,
      events,
      holds,
      waiters,
      evictions,
      registerEveryMs: settings.renewEveryMs,
      readiness: this.readiness,
      background,
    })
  }

  /** Ends what keeps holds and waiters alive, and the session. */
  async close(): Promise<void> {
    this.#channel?.close()
    this.watchdog.close()
    this.housekeeping.end()
    this.looks.close()
    this.operations?.close()
    await this.session.close()
  }

  /** Nothing is reported before the first command, so all parts exist by then. */
  #host(notifications: Notifications): EngineHost {
    const { clientId, client, settings, events, observer } = this.#deps
    const { watchdogTimeoutMs, renewEveryMs, commandTimeoutMs } = settings
    return {
      clientId,
      client,
      watchdogTimeoutMs,
      renewEveryMs,
      commandTimeoutMs,
      now: monotonicMs,
      granted: notifications.granted.bind(notifications),
      revoked: notifications.revoked.bind(notifications),
      wake: notifications.wake.bind(notifications),
      opened: notifications.opened.bind(notifications),
      onMessage: (text) => this.operations?.onMessage(text),
      missed: (id) => {
        if (id !== undefined) {
          notifications.missed(id)
          return
        }
        this.waiters.distrust()
        this.#channel?.publish('subscribed')
        observer.reached()
        this.housekeeping.checkWaiters()
      },
      unsubscribed: (cause) => {
        this.#channel?.publish('unsubscribed')
        this.waiters.distrust()
        this.waiters.unsubscribed()
        observer.unsubscribed(cause)
      },
      broken: () => {
        this.#channel?.publish('broken')
        this.#endWithSession()
      },
      reconnected: () => {
        this.#channel?.publish('connected')
        this.silence.replied()
        observer.reconnected()
        this.housekeeping.recover()
      },
      warn: (code, message) => events.warn(code, message),
      error: (error) => {
        this.silence.note(toHoldfastError(error))
        observer.error(error)
      },
    }
  }

  /** Another session may begin now, which none of these belongs to. */
  #endWithSession(): void {
    if (this.session.store.aliveUntil === undefined) return
    for (const hold of this.holds.all) hold.endIfDue()
  }
}
