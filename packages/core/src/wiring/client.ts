import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import { HoldChannels } from '../channels/hold-channels.js'
import { mirrorsOf } from '../channels/mirrors.js'
import type { Acquired, MemberClient } from '../composing/member.js'
import { ownerOf } from '../engine/owner.js'
import type { Address } from '../engine/requests.js'
import type { Addressing } from '../engine/addressing.js'
import type { LockEngine } from '../engine/session.js'
import { ClosedError } from '../errors/errors.js'
import type { HoldfastError } from '../errors/errors.js'
import { Events } from '../events/events.js'
import { Hold } from '../holding/hold.js'
import { HoldEvents } from '../holding/hold-reports.js'
import type { HoldDeps } from '../holding/hold.js'
import type { HoldTable } from '../holding/hold-table.js'
import type { LatchDeps } from '../objects/count-down-latch.js'
import { Entrance } from '../objects/entrance.js'
import { Lease, type LeaseDeps } from '../objects/lease.js'
import { PermitLease } from '../objects/permit-lease.js'
import type { SemaphoreDeps } from '../objects/semaphore.js'
import type { LockDeps } from '../objects/lock.js'
import type { Oversight } from '../operating/oversight.js'
import { resolveSettings } from '../options/options.js'
import type { ClientOptions, Settings } from '../options/options.js'
import { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import { StoreClient } from './store-client.js'
import { Background } from '../util/background.js'
import { withTimeout } from '../util/with-timeout.js'
import { Acquisition } from '../waiting/acquisition.js'
import type { AcquisitionDeps } from '../waiting/acquisition-deps.js'
import { LatchWait } from '../waiting/latch-wait.js'
import { WaitEvents } from '../waiting/wait-reports.js'
import type { WaiterTable } from '../waiting/waiter-table.js'

/** The working parts behind one `Holdfast`, put together. No part sees this class: each names the few things it needs. */
export class Client {
  readonly id = nanoid()
  /** Names the store in messages. */
  readonly storeName: string
  readonly frames = new Frames<Possession<Lease>>()
  readonly events: Events
  readonly background = new Background((error) => {
    this.events.emitError(error)
  })
  /** What every lock of this client needs. */
  readonly lockDeps: LockDeps
  /** What every semaphore of this client needs. */
  readonly semaphoreDeps: SemaphoreDeps
  /** What every latch needs; `undefined` with an engine that has none. */
  readonly latchDeps: LatchDeps | undefined
  readonly #settings: Settings
  readonly #store: StoreClient
  #isClosing = false

  constructor(options: ClientOptions, engine: LockEngine) {
    const settings = resolveSettings(options, engine)
    this.#settings = settings
    const identity = { clientId: this.id, engine: engine.name }
    const channels = new HoldChannels(identity)
    this.events = new Events((fn) => this.frames.outside(fn), mirrorsOf(identity))
    const { background, events, frames } = this
    const { label } = settings
    const store = new StoreClient(
      {
        clientId: this.id,
        client: { host: hostname(), pid: process.pid, label, startedAt: new Date() },
        settings,
        events,
        background,
        holdObserver: channels,
        assertOpen: () => {
          this.#assertOpen()
        },
        onReady: () => {
          events.reached()
        },
        onMissed: () => {
          events.reached()
        },
        onUnsubscribed: (cause) => {
          events.emitError(cause)
        },
        onReconnected: () => {
          events.reached()
        },
        onError: (error) => {
          events.emitError(error)
        },
      },
      engine,
    )
    this.#store = store
    const { session, holds, waiters, watchdog, abandonment, proofs, oversight, evictorOf } = store
    const { store: facts, steps, inbox, registry, latches } = session
    const ready = (address: Address): Promise<void> | undefined => store.ready(address)
    const leaseDeps: LeaseDeps = {
      frames,
      events,
      settings,
      tokenAdvice: engine.sharing?.tokenAdvice,
      fence: engine.fence?.bind(engine),
    }
    const anyHoldDeps = {
      store: facts,
      steps,
      settings,
      reports: new HoldEvents(events),
      holds,
      watchdog,
      background,
      abandonment,
      evictorOf,
      channels,
    }
    const holdDeps: HoldDeps<Lease> = {
      ...anyHoldDeps,
      makeLease: (hold, target, fixedLeaseMs, limitAt) =>
        new Lease(leaseDeps, hold, target, fixedLeaseMs, limitAt),
    }
    const permitHoldDeps: HoldDeps<PermitLease> = {
      ...anyHoldDeps,
      makeLease: (hold, target, fixedLeaseMs, limitAt) =>
        new PermitLease(settings, hold, target, fixedLeaseMs, limitAt),
    }
    let owners = 0
    const lastErrorSince = (at: number): HoldfastError | undefined => store.lastErrorSince(at)
    const storeName = facts.name ?? engine.name
    this.storeName = storeName
    const anyAcquisitionDeps: Omit<AcquisitionDeps<never>, 'admit'> = {
      store: facts,
      steps,
      inbox,
      confirmer: session.confirmer,
      settings: {
        ...settings,
        clientId: this.id,
        storeName,
        polls: store.polls,
        queuesUnnotified: store.queuesUnnotified,
      },
      reports: new WaitEvents(events),
      waiters,
      abandonment,
      proofs,
      nextOwner: () => ++owners,
      lastErrorSince,
      ready,
    }
    const acquisitionDeps: AcquisitionDeps<Acquired<Lease>> = {
      ...anyAcquisitionDeps,
      admit: (grant, request, waitedMs) => {
        const hold = new Hold(holdDeps, grant, request)
        return { hold, lease: hold.open(request, waitedMs) }
      },
    }
    const permitAcquisitionDeps: AcquisitionDeps<PermitLease> = {
      ...anyAcquisitionDeps,
      admit: (grant, request, waitedMs) => new Hold(permitHoldDeps, grant, request).open(request, waitedMs),
    }
    const entrance = new Entrance({
      settings: { ...settings, storeName },
      frames,
      background,
      lastErrorSince,
      assertOpen: (address) => {
        this.#assertOpen(address.name)
      },
      acquireAfresh: (target, request, wantsToken, wantedSince) =>
        new Acquisition(acquisitionDeps, target, request, wantsToken, wantedSince).runTraced(),
    })
    const memberClient: MemberClient<Lease> = {
      settings: { ...settings, storeName },
      steps,
      frames,
      events,
      background,
      acquisition: acquisitionDeps,
      lastErrorSince,
      assertOpen: (address) => {
        this.#assertOpen(address.name)
      },
    }
    this.lockDeps = {
      steps,
      registry,
      settings,
      frames,
      events,
      holds,
      entrance,
      memberClient,
      oversight,
      ready,
    }
    this.semaphoreDeps = {
      steps,
      registry,
      sharing: engine.sharing,
      settings,
      events,
      holds,
      oversight,
      ready,
      acquire: (target, request) => {
        this.#assertOpen(target.address.name)
        return new Acquisition(permitAcquisitionDeps, target, request, false).runTraced()
      },
    }
    if (!latches) return
    const waitDeps = { ...anyAcquisitionDeps, latches, aliveMs: settings.watchdogTimeoutMs }
    this.latchDeps = {
      store: facts,
      registry,
      latches,
      settings,
      events,
      ready,
      tombstoneMs: abandonment.tombstoneMs(0),
      assertOpen: ({ name }) => {
        this.#assertOpen(name)
      },
      nextParty: () => ownerOf(this.id, ++owners),
      wait: (target, request) => new LatchWait(waitDeps, target, request).runTraced(),
    }
  }

  get names(): Addressing {
    return this.#store.session.names
  }

  get oversight(): Oversight {
    return this.#store.oversight
  }

  get holds(): HoldTable<Hold> {
    return this.#store.holds
  }

  get waiters(): WaiterTable {
    return this.#store.waiters
  }

  async close(drainMs: number): Promise<void> {
    const { holds, waiters, background } = this
    this.#isClosing = true
    waiters.close()
    await holds.drained(drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.#settings
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    await this.#store.close()
    await background.end()
    this.events.close()
  }

  #assertOpen(lockName?: string): void {
    if (this.#isClosing) throw new ClosedError('the Holdfast client is closed', { lockName })
  }
}
