import { hostname } from 'node:os'
import { nanoid } from 'nanoid'
import type { Channels } from '../channels/channels.js'
import type { ClientContext } from '../channels/contexts.js'
import type { Address, Addressing, ObjectType } from '../engine/requests.js'
import type { LockEngine } from '../engine/session.js'
import { Closing } from '../ownership/closing.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { Events } from '../events/events.js'
import type { Hold, HoldDeps } from '../holding/hold.js'
import type { LeaseHandle, LeaseMaker } from '../holding/lease-set.js'
import { HoldEvents } from '../holding/hold-reports.js'
import type { HoldTable } from '../holding/hold-table.js'
import { Entrance } from '../objects/entrance.js'
import { LockLeases } from '../objects/lease.js'
import type { Lease } from '../objects/lease.js'
import { checkName } from '../objects/lock-name.js'
import { Lock } from '../objects/lock.js'
import type { LockDeps } from '../objects/lock.js'
import type { Operations, OperationsDeps } from '../operating/operations.js'
import { resolveReentrant, resolveSettings } from '../options/options.js'
import type { ClientOptions, LockOptions, Settings } from '../options/options.js'
import { Frames } from '../ownership/frames.js'
import { Owners } from '../ownership/owners.js'
import type { Possession } from '../ownership/possession.js'
import { StoreClient } from './store-client.js'
import { Background } from '../util/background.js'
import { withTimeout } from '../util/timeouts.js'
import { Acquirer } from '../waiting/acquisition.js'
import type { AcquisitionDeps } from '../waiting/acquisition.js'
import { warnOfSelfDeadlock, WaitEvents } from '../waiting/outcome.js'
import type { WaiterTable } from '../waiting/waiter-table.js'

/** What a client has besides locks. */
export interface ClientParts {
  /** Has what it does published to those who listen. */
  readonly openChannels?: (client: ClientContext) => Channels
  readonly openOperations?: (deps: OperationsDeps) => Operations
  /** The steps of further kinds of objects, for its session to carry from the start. */
  readonly carried?: readonly unknown[]
}

/** The working parts behind one client, put together, for its objects to take what they need. */
export class Client {
  readonly id = nanoid()
  readonly engine: LockEngine
  /** Names the store in messages. */
  readonly storeName: string
  readonly frames = new Frames<Possession<Lease>>()
  readonly events: Events
  readonly background: Background
  readonly settings: Settings
  readonly store: StoreClient
  readonly owners = new Owners(this.id)
  readonly closing = new Closing(this.frames)
  /** What every wait needs. */
  readonly waiting: Omit<AcquisitionDeps<never>, 'holding'>
  /** What every lock of this client needs. */
  readonly lockDeps: LockDeps
  readonly #holding: Omit<HoldDeps<never>, 'leaseMaker'>

  constructor(
    options: ClientOptions,
    engine: LockEngine,
    { openChannels, openOperations, carried = [] }: ClientParts = {},
  ) {
    this.engine = engine
    const settings = resolveSettings(options, engine)
    this.settings = settings
    const channels = openChannels?.({ clientId: this.id, engine: engine.name })
    const { frames, closing } = this
    const events = new Events((fn) => frames.outside(fn), channels?.mirrors)
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
        channels,
        holdObserver: channels,
        openOperations,
        carried,
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
    this.store = store
    const { session, holds, waiters, watchdog, abandonment, evictions, operations, readiness, silence } =
      store
    const { store: facts, steps, inbox, registry, confirmer } = session
    const storeName = facts.name ?? engine.name
    this.storeName = storeName
    this.#holding = {
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
    this.waiting = {
      store: facts,
      steps,
      inbox,
      confirmer,
      settings: { ...settings, clientId: this.id, storeName, polls, queuesUnnotified },
      reports: new WaitEvents(events),
      channels,
      frames,
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
    const acquirer = this.acquirerOf<Lease>(leaseMaker)
    const ofCalls = { settings: this.waiting.settings, frames, background, closing, silence, acquirer }
    const entrance = new Entrance(ofCalls)
    const memberClient = { ...ofCalls, session, steps, events, channels }
    const common = { steps, registry, settings, events, holds, operations, readiness }
    this.lockDeps = { ...common, frames, entrance, memberClient }
  }

  /** Acquires for callers that get such leases. */
  acquirerOf<L extends LeaseHandle>(leaseMaker: LeaseMaker<Hold<L>, L>): Acquirer<L> {
    return new Acquirer<L>({ ...this.waiting, holding: { ...this.#holding, leaseMaker } }, this.owners)
  }

  /**
   * Where the object of this name is.
   *
   * @throws `InvalidArgumentError` for an invalid name, and with an engine that has no such objects
   */
  locate(name: string, object: ObjectType): Address {
    checkName(name)
    const { name: engine, traits } = this.engine
    if (object !== 'lock' && !traits.kinds?.includes(kindOf[object])) {
      throw new InvalidArgumentError(`the engine ${engine} has no ${textOf[object]}`, { lockName: name })
    }
    return this.names.locate(name, object)
  }

  /** The lock of this name. */
  lock(name: string, isFenced: boolean, options: LockOptions | undefined): Lock {
    const reentrant = resolveReentrant(options)
    const address = this.locate(name, 'lock')
    const target = { address, kind: 'lock', permits: 1, size: undefined } as const
    return new Lock(this.lockDeps, target, isFenced, reentrant)
  }

  /** @throws `ClosedError` once it closes */
  assertOpen(): void {
    this.closing.assertOpen()
  }

  get names(): Addressing {
    return this.store.session.names
  }

  get operations(): Operations | undefined {
    return this.store.operations
  }

  get holds(): HoldTable<Hold> {
    return this.store.holds
  }

  get waiters(): WaiterTable {
    return this.store.waiters
  }

  async close(drainMs: number): Promise<void> {
    const { holds, waiters, background } = this
    await this.closing.drain({ holds, waits: waiters }, drainMs)
    for (const hold of holds.all) if (!hold.isReleased) hold.lose('closed')
    const { commandTimeoutMs } = this.settings
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    await this.store.close()
    await background.end()
    this.events.close()
  }
}

const kindOf: Record<Exclude<ObjectType, 'lock'>, 'shared' | 'latch'> = {
  'read-write-lock': 'shared',
  semaphore: 'shared',
  latch: 'latch',
}

const textOf: Record<Exclude<ObjectType, 'lock'>, string> = {
  'read-write-lock': 'read/write locks',
  semaphore: 'semaphores',
  latch: 'count-down latches',
}
