import { HoldfastError, InvalidArgumentError } from '../errors/errors.js'
import { Lock, otherCopy, type Lease, type LockCallback } from '../objects/lock.js'
import { splitArguments, type TryWithLockResult } from '../objects/entrance.js'
import type { HoldOptions, RunOptions } from '../options/options.js'
import { outsideFrames } from '../ownership/frames.js'
import { onAbort } from '../util/timeouts.js'
import { kindOf, shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'

/** Nested calls and leases inside each bridged hold, by its owner. */
const nestedCalls = new Map<string, Set<Promise<unknown>>>()

/** A promise, and what resolves it. */
function signalled(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined
  const given = new Promise<void>((resolve) => (give = resolve))
  return { given, give }
}

async function untilEmpty(nested: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (nested.size > 0) await Promise.allSettled(nested)
}

/** A lock that is taken together with the one it replaces. Made by {@link bridge}. */
export class BridgedLock {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #oldLock: OldLock
  readonly #lock: Lock

  /** @internal */
  constructor(oldLock: OldLock, lock: Lock) {
    this.#oldLock = oldLock
    this.#lock = lock
  }

  /** The name of the new lock. */
  get name(): string {
    return this.#lock.name
  }

  /**
   * Runs `fn` while holding both locks and returns what it returned. Calls on the same lock inside `fn` re-enter, and
   * do not take the old lock again. The old lock is held until nested calls that `fn` did not await are over, too.
   *
   * Options are those of the new lock; how long to wait for the old one is up to `oldLock`. If `oldLock` reports a loss, the
   * lease is lost too, with reason `member-lost`.
   *
   * @throws what `fn` throws, unless a lock was lost before; `LockLostError` if the old lock was lost before the new one was acquired; what the old lock throws; `InvalidArgumentError` if `oldLock` did not run its work, did not
   * wait for it, or ran it again; `HoldfastError` inside a hold of the lock that was not acquired through a bridge; otherwise as
   * `Lock.withLock`
   */
  withLock<T>(fn: LockCallback<T>): Promise<T>
  /** The same with options. */
  withLock<T>(options: HoldOptions | undefined, fn: LockCallback<T>): Promise<T>
  async withLock<T>(first: HoldOptions | undefined | LockCallback<T>, second?: LockCallback<T>): Promise<T> {
    const { options, fn } = splitArguments<HoldOptions, LockCallback<T>>(
      'withLock',
      this.#lock.name,
      first,
      second,
    )
    return this.#runInBoth((entered) => this.#lock.withLock(options, entered), fn)
  }

  /**
   * As `withLock`, but does not call `fn` when another owner kept the new lock for `waitMs` (default 0: one attempt). How long it waits for
   * the old lock is up to `oldLock`; if that fails, its error is thrown.
   *
   * @returns as `Lock.tryWithLock`
   * @throws as `withLock`, except the `LockTimeoutError` of the new lock
   */
  tryWithLock<T>(fn: LockCallback<T>): Promise<TryWithLockResult<T>>
  /** The same with options. */
  tryWithLock<T>(options: HoldOptions | undefined, fn: LockCallback<T>): Promise<TryWithLockResult<T>>
  async tryWithLock<T>(
    first: HoldOptions | undefined | LockCallback<T>,
    second?: LockCallback<T>,
  ): Promise<TryWithLockResult<T>> {
    const { options, fn } = splitArguments<HoldOptions, LockCallback<T>>(
      'tryWithLock',
      this.#lock.name,
      first,
      second,
    )
    return this.#runInBoth((entered) => this.#lock.tryWithLock(options, entered), fn)
  }

  /**
   * Takes the old lock, then the new one, and keeps both until `unlock()` of the lease: the callback of `oldLock` stays open
   * until then. Options are those of the new lock.
   *
   * A `holdfast.scope` does not know the lease. Inside `withLock` of the same lock it re-enters, and that `withLock` does not return
   * before the lease is unlocked.
   *
   * @throws as `withLock`, except what is about `fn`; otherwise as `Lock.lock`
   */
  lock(options?: HoldOptions): Promise<BridgedLease> {
    return this.#acquire(
      () => this.#lock.lock(options),
      (lease, old) => new BridgedLease(lease, old),
    )
  }

  /**
   * As `lock`, but returns `null` when another owner kept the new lock for `waitMs` (default 0: one attempt). How long it waits for
   * the old lock is up to `oldLock`; if that fails, its error is thrown.
   *
   * @throws as `lock`, except `LockTimeoutError`
   */
  tryLock(options?: HoldOptions): Promise<BridgedLease | null> {
    return this.#acquire(
      () => this.#lock.tryLock(options),
      async (lease, old) => {
        if (lease) return new BridgedLease(lease, old)
        await old.leave()
        return null
      },
    )
  }

  /** @param enter - takes the new lock for the callback, if it does */
  #runInBoth<T, R>(enter: (fn: LockCallback<T>) => Promise<R>, fn: LockCallback<T>): Promise<R> {
    const owner = this.#lock.enclosingOwner
    return owner === undefined
      ? new OldCall(this.#oldLock, this.name, (lost) => this.#enter(enter, fn, lost)).outcome
      : this.#nest(owner, () => enter(fn))
  }

  async #acquire<L extends Lease | null, R>(
    take: () => Promise<L>,
    toResult: (lease: L, old: OldHold) => R | Promise<R>,
  ): Promise<R> {
    const owner = this.#lock.enclosingOwner
    // A scope would release the lease, but not the old lock.
    const [old, lease] =
      owner === undefined
        ? await this.#takeBoth(() => outsideFrames(take))
        : await this.#takeNested(this.#nestedOf(owner), take)
    return toResult(lease, old)
  }

  async #takeBoth<L extends Lease | null>(take: () => Promise<L>): Promise<[OldHold, L]> {
    const [entered, left] = [signalled(), signalled()]
    let lost: AbortSignal | undefined
    let stopLosing = (): void => undefined
    const call = new OldCall(this.#oldLock, this.name, (signal) => {
      lost = signal
      entered.give()
      return left.given
    })
    call.outcome.catch(() => undefined)
    await Promise.race([entered.given, call.outcome])
    const nested = new Set<Promise<unknown>>()
    const end = async (owner: string | undefined): Promise<void> => {
      await untilEmpty(nested)
      stopLosing()
      if (owner !== undefined) nestedCalls.delete(owner)
      left.give()
      await call.outcome
    }
    try {
      const lease = await take()
      if (lease) {
        stopLosing = loseTogether(this.#lock, lease, lost)
        nestedCalls.set(lease.owner, nested)
      }
      const old: OldHold = {
        get isOver() {
          return call.isOver
        },
        leave: async () => {
          // Nested leases may be unlocked after this one.
          const isLast = nested.size === 0
          const ended = end(lease?.owner)
          if (isLast) await ended
          else ended.catch(() => undefined)
        },
      }
      return [old, lease]
    } catch (error) {
      left.give()
      await call.outcome.catch(() => undefined)
      throw error
    }
  }

  async #takeNested<L extends Lease | null>(
    nested: Set<Promise<unknown>>,
    take: () => Promise<L>,
  ): Promise<[OldHold, L]> {
    const left = signalled()
    nested.add(left.given)
    const leave = (): Promise<void> => {
      nested.delete(left.given)
      left.give()
      return Promise.resolve()
    }
    try {
      return [{ isOver: false, leave }, await take()]
    } catch (error) {
      await leave()
      throw error
    }
  }

  async #enter<T, R>(
    enter: (fn: LockCallback<T>) => Promise<R>,
    fn: LockCallback<T>,
    lost: AbortSignal | undefined,
  ): Promise<R> {
    const nested = new Set<Promise<unknown>>()
    let entered: Lease | undefined
    let stopLosing = (): void => undefined
    try {
      return await enter((lease) => {
        stopLosing = loseTogether(this.#lock, lease, lost)
        entered = lease
        nestedCalls.set(lease.owner, nested)
        return fn(lease)
      })
    } finally {
      await untilEmpty(nested)
      stopLosing()
      if (entered) nestedCalls.delete(entered.owner)
    }
  }

  async #nest<R>(owner: string, enter: () => Promise<R>): Promise<R> {
    const nested = this.#nestedOf(owner)
    const call = enter()
    nested.add(call)
    try {
      return await call
    } finally {
      nested.delete(call)
    }
  }

  #nestedOf(owner: string): Set<Promise<unknown>> {
    const nested = nestedCalls.get(owner)
    if (nested) return nested
    throw new HoldfastError(
      `lock ${this.#lock.name} is already held without its old lock: acquire it through the bridge everywhere`,
      { lockName: this.#lock.name, owner },
    )
  }
}

/**
 * Takes the lock of another library around one of Holdfast: for a rolling deployment in which processes with the old
 * code and with the new code run side by side, and neither knows the other's lock.
 *
 * Deploy this first. Once no process is left that takes only the old lock, deploy the new lock alone. All processes take the
 * old lock first, so that two of them never wait for each other.
 *
 * @param oldLock - such as `(work) => redlock.using([name], 10_000, work)`, which gives `work` a signal that aborts when that lock
 * is lost: then the new lock is released, and counts as lost too
 * @throws `InvalidArgumentError` for anything but a function and a lock
 */
export function bridge(oldLock: OldLock, lock: Lock): BridgedLock {
  const old: unknown = oldLock
  if (typeof old !== 'function') {
    const got = old instanceof Lock ? 'a lock, which comes second' : shown(old)
    throw new InvalidArgumentError(
      `bridge takes a function that runs its work inside the old lock, got ${got}; ${usage}`,
    )
  }
  const given: unknown = lock
  if (!(given instanceof Lock)) {
    const kind = kindOf(given)
    const got = kind === 'a lock' ? otherCopy : kind
    throw new InvalidArgumentError(`bridge needs a lock of this package, got ${got}; ${usage}`)
  }
  return new BridgedLock(oldLock, given)
}

const usage = 'write bridge((work) => withOldLock(work), lock)'

/** @internal How a bridged lease is in touch with the old lock. */
export interface OldHold {
  /** Whether the old lock was left before the lease. */
  readonly isOver: boolean
  leave(): Promise<void>
}

/** One entry into a bridged lock, which keeps both locks until `unlock()`. */
export class BridgedLease {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #lease: Lease
  readonly #old: OldHold
  #left: Promise<void> | undefined

  /** @internal Bridged leases come from `lock` and `tryLock` of a bridged lock. */
  constructor(lease: Lease, old: OldHold) {
    this.#lease = lease
    this.#old = old
  }

  /** The name of the new lock. */
  get name(): string {
    return this.#lease.name
  }

  /** Who holds the new lock: `<clientId>:<n>`. */
  get owner(): string {
    return this.#lease.owner
  }

  /** As `Lease.fencingToken`. */
  get fencingToken(): number {
    return this.#lease.fencingToken
  }

  /** As `Lease.signal`; aborts with reason `member-lost` when `oldLock` reports a loss. */
  get signal(): AbortSignal {
    return this.#lease.signal
  }

  /** Whether the new lock can be relied on at this moment, and `oldLock` has not returned. */
  get isHeld(): boolean {
    return this.#lease.isHeld && !this.#old.isOver
  }

  /** Throws as `Lease.assertHeld`, and a `HoldfastError` if `oldLock` has returned before `unlock()`. */
  assertHeld(): void {
    this.#lease.assertHeld()
    if (!this.#old.isOver) return
    throw new HoldfastError(
      `the old lock of the bridge on lock ${this.name} is no longer held; unlock() says why`,
      { lockName: this.name, owner: this.owner },
    )
  }

  /** Runs `fn` inside this hold, so that calls on the same lock in it re-enter. Throws as `Lease.run`. */
  run<T>(fn: () => T | PromiseLike<T>): Promise<T>
  /** The same with options. */
  run<T>(options: RunOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T>
  run<T>(
    first: RunOptions | undefined | (() => T | PromiseLike<T>),
    second?: () => T | PromiseLike<T>,
  ): Promise<T> {
    const { options, fn } = splitArguments<RunOptions, () => T | PromiseLike<T>>(
      'run',
      this.name,
      first,
      second,
    )
    return this.#lease.run(options, fn)
  }

  /**
   * Releases the new lock, then the old one; a second call does nothing.
   *
   * @throws as `Lease.unlock`; otherwise what the old lock throws
   */
  unlock(): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = this.#leave()
    return this.#left
  }

  /** `unlock()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlock()
  }

  async #leave(): Promise<void> {
    try {
      await this.#lease.unlock()
    } catch (error) {
      await this.#old.leave().catch(() => undefined)
      throw error
    }
    await this.#old.leave()
  }
}

/**
 * Runs `work` while it holds a lock of another library, and resolves when that is free again: what it resolves with does not matter. It
 * may give `work` a signal that aborts when that lock is lost; anything else that it gives is ignored.
 */
export type OldLock = (work: (lost?: AbortSignal) => Promise<void>) => Promise<unknown>

/**
 * One call of a lock of another library. The outcome is that of the work, whatever the function around it makes of it; and
 * one that does not keep the work inside the lock is found out.
 */
class OldCall<T> {
  readonly #lockName: string
  readonly #work: (lost: AbortSignal | undefined) => Promise<T>
  #running: Promise<T> | undefined
  #hasEnded = false
  #ranAgain = false
  #isOver = false

  /** @throws see {@link OldCall.outcome} */
  readonly outcome: Promise<T>

  constructor(oldLock: OldLock, lockName: string, work: (lost: AbortSignal | undefined) => Promise<T>) {
    this.#lockName = lockName
    this.#work = work
    this.outcome = this.#call(oldLock)
  }

  /** Whether the function has returned, so that its lock is free. */
  get isOver(): boolean {
    return this.#isOver
  }

  async #call(oldLock: OldLock): Promise<T> {
    let failure: { readonly error: unknown } | undefined
    try {
      // Without parameters of its own: some libraries call a function that has one in another style.
      await oldLock(async (...[lost]) => {
        await this.#run(lost)
      })
    } catch (error) {
      failure = { error }
    }
    this.#isOver = true
    const hadEnded = this.#hasEnded
    if (failure && !hadEnded) throw failure.error
    if (!this.#running) throw this.#misused('resolved without running its work')
    // An error of the work itself comes first: it is what the caller looks for.
    const result = await this.#running
    if (!hadEnded) throw this.#misused('resolved before its work had ended, which so ran without that lock')
    if (this.#ranAgain) throw this.#misused('ran its work a second time, which was rejected')
    if (failure) throw failure.error
    return result
  }

  #run(lost: unknown): Promise<T> {
    if (this.#running || this.#isOver) {
      this.#ranAgain = true
      return Promise.reject(this.#misused('ran its work again, or too late'))
    }
    this.#running = this.#work(lost instanceof AbortSignal ? lost : undefined)
    const end = (): void => {
      this.#hasEnded = true
    }
    this.#running.then(end, end)
    return this.#running
  }

  #misused(what: string): InvalidArgumentError {
    return new InvalidArgumentError(
      `the old lock of the bridge on lock ${this.#lockName} ${what}; have it run the work once and wait for it: ` +
        'bridge((work) => withOldLock(work), lock), or bridge(async (work) => { …; return await work() }, lock)',
      { lockName: this.#lockName },
    )
  }
}

/**
 * Has the lease of the new lock be lost together with the old lock. Returns what stops that.
 *
 * @throws `LockLostError` if the old lock is lost already
 */
function loseTogether(lock: Lock, lease: Lease, lost: AbortSignal | undefined): () => void {
  if (!lost) return () => undefined
  const { owner } = lease
  const lose = (): void => {
    const { name: lockName } = lock
    const [cause, text] = reasonOf(lost)
    const message = `the old lock of the bridge reported its loss: ${text}`
    lock.loseWith(owner, new HoldfastError(message, { lockName, owner, cause }))
  }
  if (lost.aborted) {
    lose()
    lease.assertHeld()
  }
  return onAbort(lost, lose)
}

/** redlock aborts without a reason, and puts the error on the signal. */
function reasonOf(lost: AbortSignal): [reason: unknown, text: string] {
  const reason: unknown = 'error' in lost ? lost.error : lost.reason
  return [reason, reason instanceof Error ? reason.message : shown(reason)]
}
