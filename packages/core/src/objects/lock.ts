import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { refuseSecond } from '../checks.js'
import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { InvalidArgumentError, LockLostError } from '../errors.js'
import type { Events } from '../events.js'
import type { Hold } from '../holding/hold.js'
import { resolveRequest } from '../options.js'
import type { AcquireOptions, LeaseBounds, Request } from '../options.js'
import type { Frames } from '../ownership/frames.js'
import { nothingToUnlock } from '../ownership/scope.js'
import { notALock, toHoldfastError } from '../store-errors.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { rethrowToCaller, withCallerStack } from './caller-stack.js'
import type { Entrance, Outcome } from './entrance.js'
import { describeLock } from './inspection.js'
import type { LockInfo } from './inspection.js'
import type { Lease } from './lease.js'
import { lostWithResult, timedOutWaiting } from './wording.js'
import { splitWithLockArguments } from './with-lock-arguments.js'
import type { LockCallback } from './with-lock-arguments.js'

/** @internal What locks need of their client. */
export interface LockDeps {
  readonly session: Pick<EngineSession, 'force' | 'inspect' | 'find'>
  readonly settings: LeaseBounds & { readonly defaults: AcquireOptions }
  readonly frames: Frames<Hold<Lease>>
  readonly events: Pick<Events, 'emitError'>
  readonly holds: { find(owner: string): Hold<Lease> | undefined }
  readonly entrance: Entrance
  /** Runs the client's first-use checks; `undefined` once they have passed. */
  ready(address: Address): Promise<void> | undefined
}

const isNotAcquired = (outcome: Outcome): outcome is NotAcquired => !('lease' in outcome)

function leaseOrTimeout(outcome: Outcome): Lease {
  if (isNotAcquired(outcome)) throw timedOutWaiting(outcome)
  return outcome.lease
}

const runsNothing =
  'lock and tryLock take options only; to run a function, use withLock(fn) or withLock(options, fn)'

const leaseOrNull = (outcome: Outcome): Lease | null => (isNotAcquired(outcome) ? null : outcome.lease)

/**
 * A named lock. A cheap handle without state: it may live at module level and serve many requests at once, each of
 * which gets an owner of its own.
 */
export class Lock {
  readonly #deps: LockDeps
  readonly #address: Address
  readonly #isFenced: boolean

  /** @internal Locks come from `holdfast.getLock(name)` and `getFencedLock(name)`. */
  constructor(deps: LockDeps, address: Address, isFenced: boolean) {
    this.#deps = deps
    this.#address = address
    this.#isFenced = isFenced
  }

  /** The name given to `getLock`. */
  get name(): string {
    return this.#address.name
  }

  /**
   * Runs `fn` while holding the lock and returns what it returned. Calls on the same lock inside `fn` re-enter.
   *
   * @throws what `fn` throws, always; `LockLostError` (with `result`) if `fn` succeeded but the hold was lost by then;
   * otherwise as `lock`
   */
  withLock<T>(fn: LockCallback<T>): Promise<T>
  /** The same with options. */
  withLock<T>(options: AcquireOptions | undefined, fn: LockCallback<T>): Promise<T>
  async withLock<T>(
    first: AcquireOptions | undefined | LockCallback<T>,
    second?: LockCallback<T>,
  ): Promise<T> {
    const { options, fn } = splitWithLockArguments(this.name, first, second)
    const request = this.#request(options)
    let outcome: Outcome
    try {
      outcome = await this.#deps.entrance.acquire(this.#address, request, this.#isFenced)
    } catch (error) {
      throw withCallerStack(error, request.signal)
    }
    if (isNotAcquired(outcome)) throw timedOutWaiting(outcome)
    const { hold, lease } = outcome
    let result: T
    try {
      result = await this.#deps.frames.runInHold(hold, () => fn(lease))
    } catch (error) {
      await lease.unlock().catch((unlockError: unknown) => {
        this.#report(unlockError)
      })
      throw error
    }
    try {
      await lease.unlock()
    } catch (error) {
      if (error instanceof LockLostError) throw lostWithResult(error, result)
      this.#report(error)
    }
    return result
  }

  /**
   * Waits until the lock is acquired. Outside `withLock`, `lease.run` and `scope` nested calls do not re-enter this
   * hold.
   *
   * @throws `LockTimeoutError` when another owner kept the lock for `waitMs`; the signal's reason when aborted;
   * `UnavailableError` when the store did not reply within `waitMs` (an unlimited wait outlives outages);
   * `RefusedError`, `NotALockError`, `InvalidArgumentError`; `LockLostError` when the enclosing hold was lost;
   * `ReplicationError` when too few replicas acknowledged the grant (`minReplicas`); `TooManyWaitersError`, `ClosedError`
   */
  lock(options?: AcquireOptions): Promise<Lease>
  lock(options?: AcquireOptions, second?: unknown): Promise<Lease> {
    return this.#acquireInScope(leaseOrTimeout, options, second)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` when another owner kept the lock.
   *
   * @throws as `lock`, except `LockTimeoutError`
   */
  tryLock(options?: AcquireOptions): Promise<Lease | null>
  tryLock(options?: AcquireOptions, second?: unknown): Promise<Lease | null> {
    return this.#acquireInScope(leaseOrNull, options, second, 0)
  }

  /**
   * Undoes the newest `lock()` or `tryLock()` of the nearest scope; never a `withLock` around it.
   *
   * @throws `NotOwnerError` when there is none, `LockLostError` when the hold was lost before
   */
  async unlock(): Promise<void> {
    const scope = this.#deps.frames.nearestScope()
    if (!scope) throw nothingToUnlock(this.#address)
    await scope.unlock(this.#address)
  }

  /**
   * Evicts the present holder and hands the lock to the next waiter. The evicted holder's signal aborts at once, but
   * its code may still run: only a fencing token keeps its writes out.
   *
   * @returns whether a holder was evicted
   * @throws `UnavailableError`, `RefusedError`, `NotALockError`, `ClosedError`
   */
  async forceUnlock(): Promise<boolean> {
    const { owner } = await this.#inspect(0)
    if (owner === '') return false
    const reply = await this.#command(() => this.#deps.session.force(this.#address, owner))
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    if (reply.kind === 'released') this.#deps.holds.find(owner)?.lose('revoked')
    return reply.kind === 'released'
  }

  /** Whether any owner holds the lock, as the store sees it. Throws as `forceUnlock`. */
  async isLocked(): Promise<boolean> {
    return (await this.#inspect(0)).owner !== ''
  }

  /** Whether the running async context holds the lock, by the clock; sends nothing. */
  isHeld(): boolean {
    return this.#deps.frames.enclosingHold(this.#address)?.isHeld ?? false
  }

  /** How many times the running async context has entered the lock; 0 when it does not hold it. Sends nothing. */
  holdCount(): number {
    const hold = this.#deps.frames.enclosingHold(this.#address)
    return hold?.isHeld ? hold.count : 0
  }

  /** For how long the store keeps the present hold, of any owner, unless renewed; 0 when free. Throws as `forceUnlock`. */
  async remainingMs(): Promise<number> {
    return Math.max(0, (await this.#inspect(0)).ttlMs)
  }

  /** Who holds, who waits, and which processes they are. For diagnostics only. Throws as `forceUnlock`. */
  async inspect(): Promise<LockInfo> {
    const inspection = await this.#inspect(100)
    return this.#command(() => describeLock(this.name, inspection, this.#deps.session))
  }

  /** For logs. */
  toJSON(): { name: string } {
    return { name: this.name }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Lock ${inspect(this.toJSON(), options)}`
  }

  /** @internal The owner of the hold that a call here would re-enter. */
  get enclosingOwner(): string | undefined {
    return this.#deps.frames.enclosingHold(this.#address)?.owner
  }

  #request(options: AcquireOptions | undefined, waitMs?: number): Request {
    return resolveRequest(options, this.#deps.settings, waitMs)
  }

  /** Not async on purpose: there may be very many waits, and each async frame costs memory. */
  #acquireInScope<T>(
    toResult: (outcome: Outcome) => T,
    options: AcquireOptions | undefined,
    second: unknown,
    waitMs?: number,
  ): Promise<T> {
    try {
      if (typeof options === 'function') throw new InvalidArgumentError(runsNothing)
      refuseSecond(second, runsNothing)
      const request = this.#request(options, waitMs)
      const acquiring = this.#deps.entrance.acquireInScope(this.#address, request, this.#isFenced)
      return acquiring.then(toResult, rethrowToCaller(request.signal))
    } catch (error) {
      return Promise.reject(toHoldfastError(error))
    }
  }

  async #inspect(limit: number) {
    const reply = await this.#command(() => this.#deps.session.inspect(this.#address, limit))
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    return reply
  }

  async #command<T>(send: () => Promise<T>): Promise<T> {
    try {
      await this.#deps.ready(this.#address)
      return await send()
    } catch (error) {
      throw toHoldfastError(error, { lockName: this.name })
    }
  }

  #report(error: unknown): void {
    if (error instanceof LockLostError) return
    this.#deps.events.emitError(toHoldfastError(error, { lockName: this.name }))
  }
}
