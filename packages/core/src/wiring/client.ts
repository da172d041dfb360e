import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import { HoldChannels } from '../channels/hold-channels.js'
import { mirrorsOf } from '../channels/mirrors.js'
import type { Addressing } from '../engine/addressing.js'
import type { LockEngine } from '../engine/session.js'
import { Closing } from '../errors/closing.js'
import { Events } from '../events/events.js'
import type { Hold } from '../holding/hold.js'
import { HoldEvents } from '../holding/hold-reports.js'
import type { HoldTable } from '../holding/hold-table.js'
import type { LatchDeps } from '../objects/count-down-latch.js'
import { Entrance } from '../objects/entrance.js'
import { LockLeases } from '../objects/lease.js'
import type { Lease } from '../objects/lease.js'
import { PermitLeases } from '../objects/permit-lease.js'
import type { SemaphoreDeps } from '../objects/semaphore.js'
import type { LockDeps } from '../objects/lock.js'
import type { Operations } from '../operating/operations.js'
import { resolveSettings } from '../options/options.js'
import type { ClientOptions, Settings } from '../options/options.js'
import { Frames } from '../ownership/frames.js'
import { Owners } from '../ownership/owners.js'
import type { Possession } from '../ownership/possession.js'
import { StoreClient } from './store-client.js'
import { Background } from '../util/background.js'
import { withTimeout } from '../util/with-timeout.js'
import { Acquirer } from '../waiting/acquisition.js'
import { warnOfSelfDeadlock, WaitEvents } from '../waiting/wait-reports.js'
import type { WaiterTable } from '../waiting/waiter-table.js'

/** The working parts behind one `Holdfast`, put together. No part sees this class: each names the few things it needs. */
export class Client {
  readonly id = nanoid()
  /** Names the store in messages. */
  readonly storeName: string
  readonly frames = new Frames<Possession<Lease>>()
  readonly events: Events
  readonly background: Background
  /** What every lock of this client needs. */
  readonly lockDeps: LockDeps
  /** What every semaphore of this client needs. */
  readonly semaphoreDeps: SemaphoreDeps
  /** What every latch needs; `undefined` with an engine that has none. */
  readonly latchDeps: LatchDeps | undefined
  readonly #settings: Settings
  readonly #store: StoreClient
  readonly #closing = new Closing()

  constructor(options: ClientOptions, engine: LockEngine) {
    const settings = resolveSettings(options, engine)
    this.#settings = settings
    const identity = { clientId: this.id, engine: engine.name }
    const channels = new HoldChannels(identity)
    const { frames } = this
    const closing = this.#closing
    const events = new Events((fn) => frames.outside(fn), mirrorsOf(identity))
    this.events = events
    const background = new Background((error) => events.emitError(error))
    this.background = background
    const store = new StoreClient(
      {
        clientId: this.id,
        client: { host: hostname(), pid: process.pid, label: settings.label, startedAt: new Date() },
        settings,
        events,
        background,
        closing,
        holdObserver: channels,
        observer: {
          reached: events.reached.bind(events),
          unsubscribed: events.emitError.bind(events),
          reconnected: events.reached.bind(events),
          error: events.emitError.bind(events),
        },
        onRound: () => warnOfSelfDeadlock(events, this.waiters.allWaiting, this.holds),
      },
      engine,
    )
    this.#store = store
    const { session, holds, waiters, watchdog, abandonment, evictions, operations, readiness, silence } =
      store
    const { store: facts, steps, inbox, registry, confirmer, latches } = session
    const storeName = facts.name ?? engine.name
    this.storeName = storeName
    const owners = new Owners(this.id)
    const holding = {
      store: facts,
      steps,
      settings,
      reports: new HoldEvents(events),
      holds,
      watchdog,
      background,
      abandonment,
      evictions,
      channels,
    }
    const { polls, queuesUnnotified, proofs, looks } = store
    const waiting = {
      store: facts,
      steps,
      inbox,
      confirmer,
      settings: { ...settings, clientId: this.id, storeName, polls, queuesUnnotified },
      reports: new WaitEvents(events),
      waiters,
      abandonment,
      proofs,
      looks,
      silence,
      readiness,
    }
    const { sharing } = engine
    const leaseMaker = new LockLeases({
      frames,
      events,
      settings,
      tokenAdvice: sharing?.tokenAdvice,
      fence: engine.fence?.bind(engine),
    })
    const acquirer = new Acquirer<Lease>({ ...waiting, holding: { ...holding, leaseMaker } }, owners)
    const permitHolding = { ...holding, leaseMaker: new PermitLeases(settings) }
    const ofCalls = { settings: waiting.settings, frames, background, closing, silence, acquirer }
    const common = { steps, registry, settings, events, holds, operations, readiness }
    const entrance = new Entrance(ofCalls)
    this.lockDeps = { ...common, frames, entrance, memberClient: { ...ofCalls, steps, events } }
    const permitAcquirer = new Acquirer({ ...waiting, holding: permitHolding }, owners)
    this.semaphoreDeps = { ...common, sharing, closing, acquirer: permitAcquirer }
    this.latchDeps = latches && {
      store: facts,
      registry,
      latches,
      settings,
      events,
      readiness,
      closing,
      tombstoneMs: abandonment.tombstoneMs(0),
      owners,
      waiting: { ...waiting, latches, aliveMs: settings.watchdogTimeoutMs },
    }
  }

  /** @throws `ClosedError` once it closes */
  assertOpen(): void {
    this.#closing.assertOpen()
  }

  get names(): Addressing {
    return this.#store.session.names
  }

  get operations(): Operations {
    return this.#store.operations
  }

  get holds(): HoldTable<Hold> {
    return this.#store.holds
  }

  get waiters(): WaiterTable {
    return this.#store.waiters
  }

  async close(drainMs: number): Promise<void> {
    const { holds, waiters, background } = this
    this.#closing.begin()
    waiters.close()
    await holds.drained(drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.#settings
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    await this.#store.close()
    await background.end()
    this.events.close()
  }
}
