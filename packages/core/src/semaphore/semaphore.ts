import { inspect, type InspectOptions } from 'node:util'
import { nanoid } from 'nanoid'
import { isOwner, titleFrom, type Address, type Target } from '../engine/requests.js'
import {
  InvalidArgumentError,
  notALock,
  toHoldfastError,
  UnavailableError,
  type ErrorSubject,
} from '../errors/errors.js'
import { traced } from '../events/observer.js'
import type { Acquired, Hold } from '../holding/hold.js'
import { storeOf, type LockClient } from '../lock-client.js'
import {
  describe,
  evict,
  find,
  sendOf,
  type Found,
  type OwnerInfo,
  type WaiterInfo,
} from '../objects/inspection.js'
import { BaseLease } from '../objects/lock.js'
import { splitArguments, timedOutWaiting, useLease, valueOrTimeout } from '../objects/entrance.js'
import {
  notAnOwner,
  resolveForce,
  resolvePermits,
  resolveResize,
  resolveSize,
  type ForceOptions,
  type PermitOptions,
  type Resize,
  type ResizeOptions,
  type SemaphoreOptions,
  type Settings,
} from '../options/options.js'
import { rethrowToCaller } from '../ownership/turns.js'
import type { LeaseEntry } from '../ownership/possession.js'
import { sharedSteps } from '../redis/carried-steps.js'
import type { StoreClient } from '../store-client.js'
import { shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'
import type { NotAcquired } from '../waiting/outcome.js'

/**
 * The semaphore of this name, as `holdfast.getSemaphore` returns it, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getSemaphore`
 */
export function getSemaphore(client: LockClient, name: string, options: SemaphoreOptions): Semaphore {
  const store = storeOf(client, 'getSemaphore')
  const size = resolveSize(options)
  const address = store.locate(name, 'semaphore')
  store.session.carry?.(sharedSteps)
  return new Semaphore(store, address, size)
}

/** What `withPermits` runs while it has permits. */
export type PermitCallback<T> = (lease: PermitLease) => T | PromiseLike<T>

type Outcome = Acquired | NotAcquired

/**
 * A named semaphore: a limited number of permits, shared by any number of processes. Each hold has a lease, like that of a lock,
 * so permits return when a process dies.
 *
 * Waiters get permits in order of arrival: one that wants many is not overtaken by others that want few. A cheap handle
 * without state. Not reentrant: nested calls take more permits.
 */
export class Semaphore {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #store: StoreClient
  readonly #address: Address
  readonly #size: number

  /** @internal Semaphores come from `holdfast.getSemaphore(name, { permits })`. */
  constructor(store: StoreClient, address: Address, size: number) {
    this.#store = store
    this.#address = address
    this.#size = size
  }

  /** The name given to `getSemaphore`. */
  get name(): string {
    return this.#address.name
  }

  /** The number of permits given to `getSemaphore`. A `resize` overrides it in the store, but is not seen here. */
  get permits(): number {
    return this.#size
  }

  /**
   * Runs `fn` while holding permits and returns what it returned.
   *
   * @throws `LockLostError` if the permits were lost before `fn` ended: with `result` if `fn` succeeded, or with its error as `cause` if
   * it failed after the loss; what `fn` throws otherwise; what `acquire` throws
   */
  withPermits<T>(fn: PermitCallback<T>): Promise<T>
  /** The same with options. */
  withPermits<T>(options: PermitOptions | undefined, fn: PermitCallback<T>): Promise<T>
  withPermits<T>(
    first: PermitOptions | undefined | PermitCallback<T>,
    second?: PermitCallback<T>,
  ): Promise<T> {
    return useLease<PermitLease, T, T>(() => {
      const { options, fn } = splitArguments<PermitOptions, PermitCallback<T>>(
        'withPermits',
        this.name,
        first,
        second,
      )
      return {
        acquired: this.acquire(options),
        signal: options?.signal ?? undefined,
        use: (lease: PermitLease) => ({
          lease,
          run: () => this.#store.frames.runInBody(lease.entry.hold, undefined, () => fn(lease)),
          leave: () => lease.release(),
          report: (error) => this.#store.events.emitError(toHoldfastError(error, this.#subject)),
        }),
      }
    }, valueOrTimeout)
  }

  /**
   * Waits until `permits` (default 1) are free and no waiter is ahead, and takes them, all in one step.
   *
   * @throws `LockTimeoutError` when others kept them for `waitMs`; the signal's reason when aborted; `InvalidArgumentError`
   * for more permits than the semaphore has; otherwise as `Lock.lock`
   */
  acquire(options?: PermitOptions): Promise<PermitLease> {
    return this.#acquire((outcome) => {
      if ('waitedMs' in outcome) throw timedOutWaiting(outcome)
      return this.#leaseOf(outcome)
    }, options)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` if there were not enough permits, or waiters were ahead.
   *
   * @throws as `acquire`, except `LockTimeoutError`
   */
  tryAcquire(options?: PermitOptions): Promise<PermitLease | null> {
    return this.#acquire((outcome) => ('waitedMs' in outcome ? null : this.#leaseOf(outcome)), options, 0)
  }

  /**
   * Changes the number of permits for all clients, whatever they gave to `getSemaphore`, until `keepMs` have passed. Evicts
   * nobody: when it shrinks, holders finish first. 0 lets nobody in until the next `resize`, or until `keepMs` have passed.
   *
   * Of two calls at the same time the later one wins. A call that reaches the store late never undoes a newer one.
   *
   * @param permits - 0 to 999,999,999
   * @throws `UnavailableError` when the store did not reply: the size may have changed; `RefusedError`, `ClosedError`,
   * `InvalidArgumentError`
   */
  async resize(permits: number, options: ResizeOptions = {}): Promise<void> {
    const resize = resolveResize(permits, options)
    this.#store.engine.sharing?.checkResize(this.name, options.keepMs)
    const size = await sendOf(this.#store, this.#place, () => sendResize(this.#store, this.#address, resize))
    this.#store.events.emit('resized', { name: this.name, kind: 'semaphore', size })
  }

  /**
   * How many permits are free now, whether or not waiters are ahead; 0 if more are held than the size after a `resize`.
   *
   * @throws `UnavailableError`, `RefusedError`, `NotALockError`, `ClosedError`
   */
  async available(): Promise<number> {
    return (await this.#inspect(0)).available
  }

  /** Who holds permits, who waits, and which processes they are. For diagnostics only. Throws as `available`. */
  inspect(): Promise<SemaphoreInfo> {
    return this.#inspect(100)
  }

  /**
   * Evicts one owner, as `inspect()` shows it, and hands its permits to the next waiters. Its signal aborts as soon as it is
   * notified, but its code may still run.
   *
   * @param options - `by`: who does it, as for `forceUnlock`
   * @returns whether it held permits
   * @throws `InvalidArgumentError` for what is not an owner; otherwise as `available`
   */
  async forceRelease(owner: string, options: Pick<ForceOptions, 'by'> = {}): Promise<boolean> {
    const { by } = resolveForce(options, this.name)
    if (!isOwner(owner) && !this.#isForeign(owner)) throw notAnOwner('forceRelease', owner, this.name)
    return evict(this.#store, this.#place, owner, by)
  }

  /** For logs. */
  toJSON(): { name: string; permits: number } {
    return { name: this.name, permits: this.#size }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Semaphore ${inspect(this.toJSON(), options)}`
  }

  #leaseOf({ hold, entry }: Acquired): PermitLease {
    return new PermitLease(this.#store.settings, hold, entry)
  }

  #isForeign(owner: unknown): boolean {
    return typeof owner === 'string' && this.#store.engine.sharing?.isForeignHolder(owner) === true
  }

  get #subject(): ErrorSubject {
    return { lockName: this.name, title: titleFrom('semaphore', this.name) }
  }

  #acquire<T extends PermitLease | null>(
    toResult: (outcome: Outcome) => T,
    given: PermitOptions | undefined,
    waitMs?: number,
  ): Promise<T> {
    try {
      const { request, permits } = resolvePermits(given, this.#size, this.#store.settings, waitMs)
      const target: Target = { address: this.#address, kind: 'semaphore', permits, size: this.#size }
      const toTraced = traced(this.#store.events, toResult, 2)
      this.#store.closing.assertOpen(this.name)
      return this.#store.acquire(target, request, false).then(toTraced, rethrowToCaller(request.signal))
    } catch (error) {
      return Promise.reject(toHoldfastError(error))
    }
  }

  /** @param limit - how many holders and how many waiters to list */
  async #inspect(limit: number): Promise<SemaphoreInfo> {
    const found = await find(this.#store, this.#place, limit)
    return sendOf(this.#store, this.#place, () =>
      describeSemaphore(this.#place, this.#size, found, this.#store),
    )
  }

  get #place() {
    return { address: this.#address, kind: 'semaphore' } as const
  }
}

/**
 * Permits of a semaphore that are held, to be given back with `release()`.
 *
 * If the process dies, they return when the lease expires, `watchdogTimeoutMs` later at the latest. A semaphore is not
 * reentrant: nested calls take permits of their own.
 */
export class PermitLease extends BaseLease {
  readonly #hold: Hold

  /** @internal Permit leases come from `acquire`, `tryAcquire` and `withPermits`. */
  constructor(settings: Settings, hold: Hold, entry: LeaseEntry) {
    super(settings, entry)
    this.#hold = hold
  }

  /** How many permits it still has; 0 once it was released. */
  get permits(): number {
    return this.isLeft ? 0 : this.entry.needs
  }

  /**
   * Gives back all permits, or only so many of them; a call after all were given back does nothing. Resolves when the store
   * has confirmed it; without a reply after `commandTimeoutMs`, as `Lease.unlock`.
   *
   * @param permits - 1 to as many as it has; all by default
   * @throws `LockLostError` when the permits were lost before; `InvalidArgumentError` for any other number
   */
  async release(permits?: number): Promise<void> {
    if (permits !== undefined) this.#check(permits)
    if (this.isLeft || permits === undefined || permits === this.entry.needs) {
      await this.entry.unlock()
      return
    }
    this.assertUsable()
    this.entry.needs -= permits
    await this.#hold.lower()
  }

  /** `release()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  /** For logs. */
  toJSON(): { name: string; owner: string; permits: number; remainingMs: number } {
    const { name, owner, permits } = this
    return { name, owner, permits, remainingMs: this.remainingMs() }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `PermitLease ${inspect(this.toJSON(), options)}`
  }

  #check(permits: unknown): void {
    if (this.isLeft) return
    const most = this.entry.needs
    if (typeof permits === 'number' && Number.isInteger(permits) && permits >= 1 && permits <= most) return
    throw new InvalidArgumentError(
      `permits must be an integer from 1 to ${most}, the number that this lease has, got ${shown(permits)}`,
      { lockName: this.name, owner: this.owner },
    )
  }
}

/** Calls at the same time supersede each other; so many in a row would be a fault. */
const maxAttempts = 100

/**
 * Sends a resize, naming the version of the size that it replaces: a request that arrives late finds a newer version and
 * changes nothing. Resolves with the size set.
 */
async function sendResize(
  { steps, settings }: StoreClient,
  address: Address,
  { size, keepMs }: Resize,
): Promise<number> {
  if (!steps.resize)
    throw new InvalidArgumentError(
      `semaphore ${address.name} cannot be resized: the engine ${settings.engine} has no resize`,
      { lockName: address.name },
    )
  const id = nanoid()
  for (let version = 0, attempts = 0; attempts < maxAttempts; attempts++) {
    const request = { size, keepMs, version, id }
    const reply = await steps.resize(address, request, settings.commandTimeoutMs)
    if (reply.kind === 'not-a-lock') throw notALock(address, reply)
    if (reply.kind === 'resized') return size
    version = reply.version
  }
  throw new UnavailableError(
    `semaphore ${address.name} could not be resized to ${size}: ${maxAttempts} attempts were each overtaken by another resize; call resize again`,
    { lockName: address.name },
  )
}

/** One holder of permits. */
export interface PermitHolderInfo extends OwnerInfo {
  /** How many it holds. */
  readonly permits: number
  /** For how long the store keeps the hold unless renewed, milliseconds. */
  readonly remainingMs: number
  /** Since the grant, by the holder's own clock, milliseconds; `null` if its client did not say so within 250 ms. */
  readonly heldMs: number | null
}

/** What `inspect()` of a semaphore returns. */
export interface SemaphoreInfo {
  /** The name given to `getSemaphore`. */
  readonly name: string
  readonly kind: 'semaphore'
  /** The number of permits in all: the size set by `resize`, or else the number given to `getSemaphore`. */
  readonly permits: number
  /** How many of them are free. */
  readonly available: number
  /** Who holds permits: at most 100, the one whose hold ends first unless renewed comes first. */
  readonly holders: readonly PermitHolderInfo[]
  readonly holderCount: number
  /** How many entries the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100. */
  readonly waiters: readonly (WaiterInfo & { readonly permits: number })[]
}

/** @param size - the permits in all, unless the semaphore was resized */
async function describeSemaphore(
  place: { readonly address: Address; readonly kind: 'semaphore' },
  size: number,
  found: Found,
  store: StoreClient,
): Promise<SemaphoreInfo> {
  const { shared } = found
  if (!shared) throw new TypeError('a semaphore was inspected as a lock')
  const { holders, waiters, ...described } = await describe(place, found, store)
  const permits = shared.version > 0 ? shared.size : size
  return {
    ...described,
    kind: 'semaphore',
    permits,
    available: Math.max(0, shared.free ?? permits - shared.used),
    holders: holders.map(({ permits: held, info }) => ({ ...info, permits: held })),
    waiters: waiters.map(({ permits: wanted, info }) => ({ ...info, permits: wanted })),
  }
}
