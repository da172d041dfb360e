import { Acquisition } from '../waiting/acquisition.js'
import type { Entered, Kept } from '../waiting/acquisition.js'
import { bounded, timedOut } from '../util/with-timeout.js'
import type { Client } from '../client.js'
import { monotonicMs } from '../util/clock.js'
import { InvalidArgumentError, LockLostError, LockTimeoutError, UnavailableError } from '../errors.js'
import type { Hold } from '../holding/hold.js'
import { inspectLock } from './inspection.js'
import type { LockInfo } from './inspection.js'
import { clientOf, inboxOf } from '../redis/keys.js'
import type { LockKeys } from '../redis/keys.js'
import type { Lease } from './lease.js'
import { resolveRequest } from '../options.js'
import type { AcquireOptions, Request } from '../options.js'
import { faultOf } from '../redis/errors.js'
import { notALock } from '../holding/release.js'
import { notOwner } from '../ownership/scope.js'
import type { Scope } from '../ownership/scope.js'

const isKept = (outcome: Entered | Kept): outcome is Kept => !('lease' in outcome)

/**
 * A named lock. A cheap handle without state: it may live at module level and serve many requests at once, each of
 * which gets an owner of its own.
 */
export class Lock {
  readonly #client: Client
  readonly #keys: LockKeys
  readonly #isFenced: boolean

  /** @internal Locks come from `holdfast.getLock(name)` and `getFencedLock(name)`. */
  constructor(client: Client, keys: LockKeys, isFenced: boolean) {
    this.#client = client
    this.#keys = keys
    this.#isFenced = isFenced
  }

  /** The name given to `getLock`. */
  get name(): string {
    return this.#keys.name
  }

  /**
   * Runs `fn` while holding the lock and answers with what it returned. Calls on the same lock inside `fn` re-enter.
   *
   * @throws what `fn` throws, always; `LockLostError` (with `result`) when `fn` succeeded but the hold was lost meanwhile;
   * else as `lock`
   */
  withLock<T>(fn: (lease: Lease) => T | PromiseLike<T>): Promise<T>
  /** The same with options. */
  withLock<T>(options: AcquireOptions, fn: (lease: Lease) => T | PromiseLike<T>): Promise<T>
  async withLock<T>(
    first: AcquireOptions | ((lease: Lease) => T | PromiseLike<T>),
    second?: (lease: Lease) => T | PromiseLike<T>,
  ): Promise<T> {
    const [options, fn] = typeof first === 'function' ? [{}, first] : [first, second]
    if (typeof fn !== 'function') throw new InvalidArgumentError('withLock needs a function to run')
    const request = this.#request(options)
    const outcome = await this.#acquire(request)
    if (isKept(outcome)) throw this.#timeout(outcome)
    const { hold, lease } = outcome
    let result: T
    try {
      result = await this.#client.frames.runInHold(hold, () => fn(lease))
    } catch (error) {
      await lease.unlock().catch((fault: unknown) => {
        this.#report(fault)
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
   * @throws `LockTimeoutError` when somebody else kept the lock for `waitMs`; the signal's reason when aborted;
   * `UnavailableError` when Redis did not answer within `waitMs` (an unlimited wait outlives outages);
   * `RefusedError`, `NotALockError`, `InvalidArgumentError`; `LockLostError` when the enclosing hold was lost;
   * `ReplicationError` when too few replicas acknowledged the grant (`minReplicas`); `TooManyWaitersError`, `ClosedError`
   */
  lock(options: AcquireOptions = {}): Promise<Lease> {
    return this.#acquireInScope(options).then((outcome) => {
      if (isKept(outcome)) throw this.#timeout(outcome)
      return outcome.lease
    })
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and answers `null` when somebody else kept the lock.
   *
   * @throws as `lock`, but for `LockTimeoutError`
   */
  tryLock(options: AcquireOptions = {}): Promise<Lease | null> {
    return this.#acquireInScope(options, 0).then((outcome) => (isKept(outcome) ? null : outcome.lease))
  }

  /**
   * Undoes the newest `lock()` or `tryLock()` of the nearest scope; never a `withLock` around it.
   *
   * @throws `NotOwnerError` when there is none, `LockLostError` when the hold was lost before
   */
  async unlock(): Promise<void> {
    const scope = this.#client.frames.nearestScope()
    if (!scope) throw notOwner(this.#keys)
    await scope.unlock(this.#keys)
  }

  /**
   * Evicts whoever holds the lock now and hands it to the next waiter. The evicted holder's signal aborts at once, but
   * its code may still run: only a fencing token keeps its writes out.
   *
   * @returns whether somebody was evicted
   * @throws `UnavailableError`, `RefusedError`, `NotALockError`, `ClosedError`
   */
  async forceUnlock(): Promise<boolean> {
    const { owner } = await this.#inspect(0)
    if (owner === '') return false
    const answer = await this.#command(() =>
      this.#client.commands.force(this.#keys, owner, inboxOf(clientOf(owner))),
    )
    if (answer.kind === 'foreign') throw notALock(this.#keys, answer.type)
    if (answer.kind === 'done') this.#client.holds.find(owner)?.lose('revoked')
    return answer.kind === 'done'
  }

  /** Whether anybody holds the lock, as Redis sees it. Throws as `forceUnlock`. */
  async isLocked(): Promise<boolean> {
    return (await this.#inspect(0)).owner !== ''
  }

  /** Whether the running async context holds the lock, by the clock; sends nothing. */
  isHeld(): boolean {
    return this.#client.frames.enclosingHold(this.#keys)?.isHeld ?? false
  }

  /** How often the running async context has entered the lock; 0 when it does not hold it. Sends nothing. */
  holdCount(): number {
    const hold = this.#client.frames.enclosingHold(this.#keys)
    return hold?.isHeld ? hold.count : 0
  }

  /** For how long Redis keeps the present hold, whoever's it is, unless renewed; 0 when free. Throws as `forceUnlock`. */
  async remainingMs(): Promise<number> {
    return Math.max(0, (await this.#inspect(0)).ttlMs)
  }

  /** Who holds, who waits, and which processes they are. For people, not for decisions. Throws as `forceUnlock`. */
  async inspect(): Promise<LockInfo> {
    const inspection = await this.#inspect(100)
    return this.#command(() => inspectLock(this.#keys.name, inspection, this.#client.registry))
  }

  #request(options: AcquireOptions, waitMs?: number): Request {
    return resolveRequest(options, this.#client.settings.defaults, waitMs)
  }

  /** No async function: a wait may be one of very many, and all that one would keep meanwhile is memory. */
  #acquireInScope(options: AcquireOptions, waitMs?: number): Promise<Entered | Kept> {
    try {
      const request = this.#request(options, waitMs)
      const scope = this.#client.frames.nearestScope()
      return scope ? this.#acquireInTurn(scope, request) : this.#acquire(request)
    } catch (error) {
      return Promise.reject(faultOf(error))
    }
  }

  /** In turn with other calls on this lock in the scope, and kept for its `unlock()`. */
  async #acquireInTurn(scope: Scope, request: Request): Promise<Entered | Kept> {
    const startedAt = monotonicMs()
    const turn = scope.nextTurn(this.#keys)
    try {
      const boundMs = request.waitMs === 0 ? this.#client.settings.commandTimeoutMs : request.waitMs
      if (turn.ready && (await bounded(turn.ready, boundMs, request.signal)) === timedOut) {
        return { holder: undefined, position: 0, waitedMs: Math.round(monotonicMs() - startedAt) }
      }
      const outcome = await this.#acquire(withWaitLeft(request, startedAt))
      if (!isKept(outcome)) scope.keep(this.#keys, outcome.hold, outcome.lease)
      return outcome
    } finally {
      turn.done()
    }
  }

  #acquire(request: Request): Promise<Entered | Kept> {
    const hold = this.#client.frames.enclosingHold(this.#keys)
    return hold ? this.#acquireInside(hold, request) : this.#acquireAnew(request)
  }

  /** Inside a hold that may be released before this call's turn comes. */
  async #acquireInside(first: Hold, request: Request): Promise<Entered | Kept> {
    const startedAt = monotonicMs()
    let hold: Hold | undefined = first
    while (hold) {
      const lease = await this.#reenter(hold, withWaitLeft(request, startedAt))
      if (lease) return { hold, lease }
      hold = this.#client.frames.enclosingHold(this.#keys)
    }
    return this.#acquireAnew(withWaitLeft(request, startedAt), startedAt)
  }

  #acquireAnew(request: Request, wantedSince?: number): Promise<Entered | Kept> {
    this.#client.assertOpen(this.#keys)
    return new Acquisition(this.#client, this.#keys, request, this.#isFenced, wantedSince).run()
  }

  /** On time even behind a slow command of the same hold; a lease that comes too late is left again. */
  async #reenter(hold: Hold, request: Request): Promise<Lease | null> {
    const entering = hold.enter(request, this.#isFenced)
    const boundMs = request.waitMs === 0 ? this.#client.settings.commandTimeoutMs : request.waitMs
    try {
      const lease = await bounded(entering, boundMs, request.signal)
      if (lease !== timedOut) return lease
      throw new UnavailableError(`Redis did not answer within ${boundMs} ms for lock ${this.name}`, {
        lockName: this.name,
        owner: hold.owner,
      })
    } catch (error) {
      this.#client.background.run(leaveLate(entering))
      throw error
    }
  }

  async #inspect(most: number) {
    const inspection = await this.#command(() => this.#client.commands.inspect(this.#keys, most))
    if ('kind' in inspection) throw notALock(this.#keys, inspection.type)
    return inspection
  }

  async #command<T>(send: () => Promise<T>): Promise<T> {
    try {
      await this.#client.ready(this.#keys)
      return await send()
    } catch (error) {
      throw faultOf(error, { lockName: this.name })
    }
  }

  #timeout({ holder, position, waitedMs }: Kept): LockTimeoutError {
    const text = `lock ${this.name} was kept by ${keeperText(holder)} for ${waitedMs} ms (place in the queue: ${position})`
    return new LockTimeoutError(text, {
      lockName: this.name,
      holder: holder || undefined,
      position,
      waitedMs,
    })
  }

  #report(error: unknown): void {
    if (error instanceof LockLostError) return
    this.#client.events.emit('error', faultOf(error, { lockName: this.name }))
  }
}

const keeperText = (holder: string | undefined): string =>
  holder === '' ? 'whoever was next in line' : (holder ?? 'another task of this scope')

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }

/** The caller was told already, so nobody is left to hear of a failure. */
async function leaveLate(entering: Promise<Lease | null>): Promise<void> {
  try {
    await (await entering)?.unlock()
  } catch {
    // The hold is lost or the entry failed: nothing was entered.
  }
}

const lostWithResult = (error: LockLostError, result: unknown): LockLostError =>
  new LockLostError(error.message, {
    lockName: error.lockName,
    owner: error.owner,
    reason: error.reason,
    cause: error,
    result,
  })
