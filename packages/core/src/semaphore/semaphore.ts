import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { nanoid } from 'nanoid'
import type { LockSteps } from '../engine/lock-steps.js'
import type { Inspection, SharedInspection } from '../engine/replies.js'
import { isOwner, titleFrom } from '../engine/requests.js'
import type { Address, Target } from '../engine/requests.js'
import type { Registry, Sharing } from '../engine/session.js'
import { InvalidArgumentError, UnavailableError } from '../errors/errors.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Closing } from '../ownership/closing.js'
import type { Events } from '../events/events.js'
import { traced } from '../holding/hold-reports.js'
import type { Acquired, Hold } from '../holding/hold.js'
import type { LeaseMaker } from '../holding/lease-set.js'
import { partsOf } from '../lock-client.js'
import type { LockClient } from '../lock-client.js'
import { findClients, findReports } from '../objects/inspection.js'
import type { InspectionDeps, OwnerInfo, WaiterInfo } from '../objects/inspection.js'
import { BaseLease } from '../objects/lease.js'
import type { LeasedHold } from '../objects/lease.js'
import { splitArguments, timedOutWaiting, useLease, valueOrTimeout } from '../objects/use-lease.js'
import type { Operations } from '../operating/operations.js'
import { notAnOwner, resolveForce } from '../options/force-options.js'
import type { ForceOptions } from '../options/force-options.js'
import { resolvePermits, resolveResize, resolveSize } from '../options/options.js'
import type {
  AcquireOptions,
  LeaseBounds,
  PermitOptions,
  Resize,
  ResizeOptions,
  SemaphoreOptions,
} from '../options/options.js'
import { rethrowToCaller } from '../ownership/call-site.js'
import { sharedSteps } from '../redis/kinds/shared.js'
import { shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'
import type { Acquirer } from '../waiting/acquisition.js'
import type { NotAcquired } from '../waiting/outcome.js'
import type { Ready } from '../waiting/readiness.js'
import type { Client } from '../wiring/client.js'

const deps = new WeakMap<Client, SemaphoreDeps>()

function makeDeps(client: Client): SemaphoreDeps {
  const { settings, events, closing, engine, store } = client
  const { session, holds, operations, readiness } = store
  const { steps, registry } = session
  const acquirer = client.acquirerOf(new PermitLeases(settings))
  const { sharing } = engine
  const made = { steps, registry, sharing, settings, events, holds, operations, readiness, closing, acquirer }
  deps.set(client, made)
  return made
}

/**
 * The semaphore of this name, as `holdfast.getSemaphore` returns it, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getSemaphore`
 */
export function getSemaphore(client: LockClient, name: string, options: SemaphoreOptions): Semaphore {
  const parts = partsOf(client, 'getSemaphore')
  const size = resolveSize(options)
  const address = parts.locate(name, 'semaphore')
  parts.store.session.carry?.(sharedSteps)
  return new Semaphore(deps.get(parts) ?? makeDeps(parts), address, size)
}

/** What `withPermits` runs while it has permits. */
export type PermitCallback<T> = (lease: PermitLease) => T | PromiseLike<T>

/** @internal What semaphores need of their client. */
export interface SemaphoreDeps {
  readonly steps: LockSteps
  readonly registry: Registry
  readonly sharing: Sharing | undefined
  readonly settings: LeaseBounds & { readonly commandTimeoutMs: number; readonly defaults: AcquireOptions }
  readonly events: Events
  readonly holds: { find(owner: string): { lose(reason: 'revoked'): void } | undefined }
  readonly operations: Operations | undefined
  readonly readiness: Ready
  readonly closing: Closing
  readonly acquirer: Acquirer<PermitLease>
}

type Outcome = Acquired<PermitLease> | NotAcquired

function leaseOrTimeout(outcome: Outcome): PermitLease {
  if ('lease' in outcome) return outcome.lease
  throw timedOutWaiting(outcome)
}

const leaseOrNull = (outcome: Outcome): PermitLease | null => ('lease' in outcome ? outcome.lease : null)

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
  readonly #deps: SemaphoreDeps
  readonly #address: Address
  readonly #size: number

  /** @internal Semaphores come from `holdfast.getSemaphore(name, { permits })`. */
  constructor(deps: SemaphoreDeps, address: Address, size: number) {
    this.#deps = deps
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
          run: () => fn(lease),
          leave: () => lease.release(),
          report: (error) => this.#deps.events.emitError(toHoldfastError(error, this.#subject)),
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
    return this.#acquire(leaseOrTimeout, options)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` if there were not enough permits, or waiters were ahead.
   *
   * @throws as `acquire`, except `LockTimeoutError`
   */
  tryAcquire(options?: PermitOptions): Promise<PermitLease | null> {
    return this.#acquire(leaseOrNull, options, 0)
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
    this.#deps.sharing?.checkResize(this.name, options.keepMs)
    const size = await this.#command(() => sendResize(this.#deps, this.#address, resize))
    this.#deps.events.emit('resized', { name: this.name, kind: 'semaphore', size })
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
    const { steps, holds, operations } = this.#deps
    if (by !== undefined) await this.#command(async () => operations?.announce(this.#address, owner, by))
    const reply = await this.#command(() => steps.force(this.#address, owner))
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    if (reply.kind === 'released') holds.find(owner)?.lose('revoked')
    return reply.kind === 'released'
  }

  /** For logs. */
  toJSON(): { name: string; permits: number } {
    return { name: this.name, permits: this.#size }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Semaphore ${inspect(this.toJSON(), options)}`
  }

  #isForeign(owner: unknown): boolean {
    return typeof owner === 'string' && this.#deps.sharing?.isForeignHolder(owner) === true
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
      const { request, permits } = resolvePermits(given, this.#size, this.#deps.settings, waitMs)
      const target: Target = { address: this.#address, kind: 'semaphore', permits, size: this.#size }
      const toTraced = traced(this.#deps.events, toResult, 2)
      const { closing, acquirer } = this.#deps
      closing.assertOpen(this.name)
      return acquirer.acquire(target, request, false).then(toTraced, rethrowToCaller(request.signal))
    } catch (error) {
      return Promise.reject(toHoldfastError(error))
    }
  }

  async #inspect(limit: number): Promise<SemaphoreInfo> {
    const { steps } = this.#deps
    const reply = await this.#command(() => steps.inspect(this.#address, limit))
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    return this.#command(() => describeSemaphore(this.#address, this.#size, reply, this.#deps))
  }

  async #command<T>(send: () => Promise<T>): Promise<T> {
    try {
      await this.#deps.readiness.ready(this.#address)
      return await send()
    } catch (error) {
      throw toHoldfastError(error, this.#subject)
    }
  }
}

/**
 * Permits of a semaphore that are held, to be given back with `release()`.
 *
 * If the process dies, they return when the lease expires, `watchdogTimeoutMs` later at the latest. A semaphore is not
 * reentrant: nested calls take permits of their own.
 */
export class PermitLease extends BaseLease {
  readonly #hold: Hold<PermitLease>
  readonly #bounds: LeaseBounds

  /** @internal Permit leases come from `acquire`, `tryAcquire` and `withPermits`. */
  constructor(
    bounds: LeaseBounds,
    hold: Hold<PermitLease>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ) {
    super(target, fixedLeaseMs, limitAt)
    this.#hold = hold
    this.#bounds = bounds
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
      await this.leaveOnce(() => this.#hold.leave(this))
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

  /** @internal */
  protected override get hold(): LeasedHold {
    return this.#hold
  }

  /** @internal */
  protected override get bounds(): LeaseBounds {
    return this.#bounds
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

/** @internal Makes the leases of semaphores. */
class PermitLeases implements LeaseMaker<Hold<PermitLease>, PermitLease> {
  readonly #bounds: LeaseBounds

  constructor(bounds: LeaseBounds) {
    this.#bounds = bounds
  }

  makeLease(
    hold: Hold<PermitLease>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ): PermitLease {
    return new PermitLease(this.#bounds, hold, target, fixedLeaseMs, limitAt)
  }
}

export interface ResizeDeps {
  readonly steps: LockSteps
  readonly settings: { readonly engine: string; readonly commandTimeoutMs: number }
}

/** Calls at the same time supersede each other; so many in a row would be a fault. */
const maxAttempts = 100

/**
 * Sends a resize, naming the version of the size that it replaces: a request that arrives late finds a newer version and
 * changes nothing. Resolves with the size set.
 */
async function sendResize(
  { steps, settings }: ResizeDeps,
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
  address: Address,
  size: number,
  found: Inspection | SharedInspection,
  deps: InspectionDeps,
): Promise<SemaphoreInfo> {
  if (found.kind === 'lock') throw new TypeError('a semaphore was inspected as a lock')
  const { holders, holderCount, waiterCount, waiters, used, free } = found
  const owners = [...holders, ...waiters]
  const who = await findClients(owners, deps.registry)
  const reportOf = await findReports(
    address,
    owners.map(({ owner }) => who(owner)),
    deps,
  )
  const permits = found.version > 0 ? found.size : size
  return {
    name: address.name,
    kind: 'semaphore',
    permits,
    available: Math.max(0, free ?? permits - used),
    holders: holders.map(({ owner, permits: held, ttlMs }) => {
      return {
        ...who(owner),
        permits: held,
        remainingMs: Math.max(0, ttlMs),
        heldMs: reportOf(owner)?.ageMs ?? null,
      }
    }),
    holderCount,
    waiterCount,
    waiters: waiters.map(({ owner, permits: wanted, aliveMs }) => {
      return { ...who(owner), permits: wanted, aliveMs, waitedMs: reportOf(owner)?.ageMs ?? null }
    }),
  }
}
