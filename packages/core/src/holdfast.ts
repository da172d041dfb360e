import { Channels } from './channels/channels.js'
import type { ConnectedClient } from './engine/session.js'
import { LockClient, storeOf, type EngineHoldfastOptions, type HoldfastOptions } from './lock-client.js'
import { getCountDownLatch, type CountDownLatch } from './latch/latch.js'
import type { Lock } from './objects/lock.js'
import { getMultiLock, type MultiLock } from './multi/multi-lock.js'
import { getReadWriteLock, type ReadWriteLock } from './read-write-lock/read-write-lock.js'
import { getSemaphore, type Semaphore } from './semaphore/semaphore.js'
import type { LockListing } from './operating/listing.js'
import { Operations, type ClientReportsOptions, type LocksOptions } from './operating/operations.js'
import type { ClientReport } from './operating/messages.js'
import { refuseSecond, unlessIndex } from './options/checks.js'
import type { LockOptions, SemaphoreOptions } from './options/options.js'
import { allSteps } from './redis/engine.js'
import type { ClientKind } from './store-client.js'

const kind: ClientKind = {
  title: 'Holdfast',
  openChannels: (client) => new Channels(client),
  openOperations: (store) => new Operations(store),
  carried: allSteps,
}

/**
 * A client for distributed locks on one Redis (or Valkey) server, Sentinel group or Cluster, or on another engine.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class Holdfast extends LockClient {
  readonly #operations: Operations

  /** @throws `InvalidArgumentError` for a bad option, before anything is sent */
  constructor(options: HoldfastOptions | EngineHoldfastOptions) {
    super(options, kind)
    const { operations } = storeOf(this, 'Holdfast')
    if (!operations) throw new TypeError('a Holdfast client has operations')
    this.#operations = operations
  }

  /**
   * The read/write lock of this name: any number of readers at once, or one writer. Sends nothing. A lock and a read/write
   * lock of the same name are independent of each other.
   *
   * @param name - as for `getLock`
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no read/write locks
   */
  getReadWriteLock(name: string, options?: LockOptions): ReadWriteLock
  getReadWriteLock(name: string, options?: LockOptions, array?: unknown): ReadWriteLock {
    return getReadWriteLock(this, name, unlessIndex(options, array))
  }

  /**
   * The semaphore of this name, of which at most `permits` are held at once. Sends nothing.
   *
   * @param name - as for `getLock`
   * @param options - `permits`: how many there are in all, the same number in every process
   * @throws `InvalidArgumentError` as `getLock`, for a bad number of permits, and with an engine that has no semaphores
   */
  getSemaphore(name: string, options: SemaphoreOptions): Semaphore {
    return getSemaphore(this, name, options)
  }

  /**
   * Several locks that are acquired as one: all of them, or none, without deadlock whatever the order. Sends nothing.
   *
   * @param members - at least one: lock names, lock objects of this client, sides of read/write locks, and locks of other
   * clients, even on other servers. A member that is given twice counts once
   * @param options - `reentrant`: whether calls re-enter, for all members; otherwise each member does as its own handle says
   * @throws `InvalidArgumentError` for anything else, for locks of one key of two clients (even on two servers, since their
   * order would be undefined), and for both sides of one read/write lock
   */
  getMultiLock(members: readonly (Lock | string)[], options?: LockOptions): MultiLock {
    return getMultiLock(this, members, options)
  }

  /**
   * The count-down latch of this name, which opens once a given number of parties have counted down. Sends nothing. A latch
   * and a lock of the same name are independent of each other.
   *
   * @param name - as for `getLock`. Give each round of a job a name of its own, such as `export:2026-11-23`
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no latches
   */
  getCountDownLatch(name: string): CountDownLatch
  getCountDownLatch(name: string, second?: unknown, array?: unknown): CountDownLatch {
    refuseSecond(unlessIndex(second, array), optionsOfLatch)
    return getCountDownLatch(this, name)
  }

  /**
   * Objects that are held or waited for by any client, and latches that are not open yet, each once, in no order:
   * `for await (const lock of holdfast.locks())`.
   * Nothing is sent before the first iteration. The store is scanned in small steps that take at most about 5 % of its time;
   * `progress` says how far that has come.
   *
   * @throws `InvalidArgumentError` for bad options, and with an engine whose traits have no `operator`; iterations reject as
   * {@link LockListing} says
   */
  locks(options: LocksOptions = {}): LockListing {
    return this.#operations.locks(options)
  }

  /**
   * The clients that are connected to the store and registered, and which process each of them is. A client registers when it is first
   * used, then every third of `watchdogTimeoutMs` if it holds or waits at that moment, and when it is asked to report. A registration lasts
   * for `watchdogTimeoutMs`, so a client that is idle or frozen for longer is not listed, and one with few, short holds may be missing
   * now and then.
   *
   * @throws `InvalidArgumentError` with an engine whose traits have no `operator`, `UnavailableError`, `RefusedError`,
   * `ClosedError`
   */
  async clients(): Promise<ConnectedClient[]> {
    return [...(await this.#operations.clients())]
  }

  /**
   * Asks the clients that `clients()` lists what they hold and what they wait for, for how long, and what they lost. A client that is frozen,
   * or too old to know the question, is missing from the result. Costs the store two messages per client: a report lists as much as fits
   * into one.
   *
   * @returns the reports that came within `withinMs`, as soon as all clients have reported that were reached
   * @throws `InvalidArgumentError` for bad options, `UnavailableError` also while this client receives no notifications; otherwise as
   * `clients`
   */
  clientReports(options: ClientReportsOptions = {}): Promise<ClientReport[]> {
    return this.#operations.clientReports(options)
  }
}

const optionsOfLatch =
  'getCountDownLatch takes a name only: set the count with latch.trySetCount(3), and pass options to trySetCount, countDown, wait or tryWait'
