import { hostname } from 'node:os'
import { Watchdog } from '@holdfast/watchdog'
import type { RenewalOutcome } from '@holdfast/watchdog'
import { nanoid } from 'nanoid'
import type { ClientInfo } from './engine/replies.js'
import type { EngineHost, EngineSession, LockEngine } from './engine/session.js'
import { ClosedError } from './errors.js'
import type { HoldfastError } from './errors.js'
import { Events } from './events.js'
import { Abandonment } from './holding/abandonment.js'
import { Hold } from './holding/hold.js'
import type { HoldDeps } from './holding/hold.js'
import { HoldTable } from './holding/hold-table.js'
import { Entrance } from './objects/entrance.js'
import type { EntranceDeps } from './objects/entrance.js'
import { Lease } from './objects/lease.js'
import type { LockDeps } from './objects/lock.js'
import { resolveSettings } from './options.js'
import type { ClientOptions, Settings } from './options.js'
import { Frames } from './ownership/frames.js'
import { toHoldfastError } from './store-errors.js'
import { Background } from './util/background.js'
import { momentNow, monotonicMs } from './util/clock.js'
import { LastError } from './util/last-error.js'
import { withTimeout } from './util/with-timeout.js'
import { Housekeeping } from './waiting/housekeeping.js'
import { Notifications } from './waiting/notifications.js'
import { Readiness } from './waiting/readiness.js'
import { WaiterTable } from './waiting/waiter-table.js'

/** The working parts behind one `Holdfast`, put together. No part sees this class: each names the few things it needs. */
export class Client {
  readonly id = nanoid()
  readonly frames = new Frames<Hold<Lease>>()
  readonly events = new Events((fn) => this.frames.outside(fn))
  readonly background = new Background((error) => {
    this.events.emitError(error)
  })
  readonly holds = new HoldTable<Hold<Lease>>()
  readonly session: EngineSession
  readonly waiters: WaiterTable
  /** What every lock of this client needs. */
  readonly lockDeps: LockDeps
  readonly #settings: Settings
  readonly #notifications: Notifications
  readonly #watchdog: Watchdog<Hold<Lease>>
  readonly #housekeeping: Housekeeping
  readonly #reported = new LastError<HoldfastError>()
  #isClosing = false

  constructor(options: ClientOptions, engine: LockEngine) {
    const settings = resolveSettings(options, engine)
    this.#settings = settings
    const { background, events, frames, holds } = this
    const session = engine.open(this.#host())
    this.session = session
    const { handOff } = engine.traits
    const pollMs = typeof handOff === 'object' ? handOff.pollMs : undefined
    const waiters = new WaiterTable({
      maxWaiters: settings.maxWaiters,
      pollMs,
      isSubscribed: (address) => session.isSubscribed(address),
    })
    this.waiters = waiters
    const abandonment = new Abandonment({ session, settings, background })
    this.#notifications = new Notifications({ session, holds, waiters, abandonment })
    const watchdog = new Watchdog<Hold<Lease>>({
      renew: this.#renew,
      now: monotonicMs,
      onError: (error) => {
        events.emitError(error)
      },
    })
    this.#watchdog = watchdog
    this.#housekeeping = new Housekeeping({
      everyMs: settings.renewEveryMs,
      session,
      holds,
      waiters,
      watchdog,
      background,
    })
    const readiness = new Readiness({
      session,
      assertOpen: () => {
        this.#assertOpen()
      },
      onReady: () => {
        events.reached()
        this.#housekeeping.begin()
      },
    })
    const ready = (address: Parameters<Readiness['ready']>[0]): Promise<void> | undefined =>
      readiness.ready(address)
    const leaseDeps = { frames, settings }
    const holdDeps: HoldDeps<Lease> = {
      session,
      settings,
      events,
      holds,
      watchdog,
      background,
      abandonment,
      makeLease: (hold, fixedLeaseMs, limitAt) => new Lease(leaseDeps, hold, fixedLeaseMs, limitAt),
    }
    let owners = 0
    const entranceDeps: EntranceDeps = {
      session,
      confirmer: session.confirmer,
      settings: {
        ...settings,
        clientId: this.id,
        storeName: session.storeName ?? engine.name,
        polls: pollMs !== undefined,
      },
      events,
      waiters,
      abandonment,
      frames,
      background,
      nextOwner: () => ++owners,
      lastErrorSince: (at) => this.#reported.since(at),
      ready,
      assertOpen: (address) => {
        this.#assertOpen(address.name)
      },
      admit: (grant, request, waitedMs) => {
        const hold = new Hold(holdDeps, grant, request)
        return { hold, lease: hold.open(request, waitedMs) }
      },
    }
    this.lockDeps = { session, settings, frames, events, holds, entrance: new Entrance(entranceDeps), ready }
  }

  async close(drainMs: number): Promise<void> {
    const { holds, background } = this
    this.#isClosing = true
    this.waiters.close()
    await holds.drained(drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.#settings
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    this.#watchdog.close()
    this.#housekeeping.end()
    await this.session.close()
    await background.settled()
    this.events.close()
  }

  #assertOpen(lockName?: string): void {
    if (this.#isClosing) throw new ClosedError('the Holdfast client is closed', { lockName })
  }

  /** Nothing is reported before the first command, so all parts exist by then. */
  #host(): EngineHost {
    const { watchdogTimeoutMs, renewEveryMs, commandTimeoutMs, label } = this.#settings
    const client: ClientInfo = { host: hostname(), pid: process.pid, label, startedAt: new Date() }
    return {
      clientId: this.id,
      client,
      watchdogTimeoutMs,
      renewEveryMs,
      commandTimeoutMs,
      granted: (id, owner, grant) => {
        this.#notifications.granted(id, owner, grant)
      },
      revoked: (owner) => {
        this.#notifications.revoked(owner)
      },
      wake: (id, owner) => {
        this.#notifications.wake(id, owner)
      },
      missed: (id) => {
        if (id !== undefined) {
          this.waiters.wakeAllOf(id)
          return
        }
        this.events.reached()
        this.#housekeeping.checkWaiters()
      },
      unsubscribed: (cause) => {
        this.waiters.unsubscribed()
        this.events.emitError(cause)
      },
      reconnected: () => {
        this.events.reached()
        this.#housekeeping.recover()
      },
      warn: (code, message) => {
        this.events.emit('warning', { code, message })
      },
      error: (error) => {
        this.#reported.note(toHoldfastError(error))
        this.events.emitError(error)
      },
    }
  }

  readonly #renew = async (holds: readonly Hold<Lease>[]): Promise<readonly RenewalOutcome[]> => {
    const sentAt = momentNow()
    const renewals = holds.map((hold) => hold.nextRenewal(sentAt))
    const { commandTimeoutMs, renewEveryMs } = this.#settings
    const replies = await this.session.renew(renewals, Math.ceil(Math.min(commandTimeoutMs, renewEveryMs)))
    return replies.map((reply) => (reply === 'renewed' ? 'renewed' : 'lost'))
  }
}
