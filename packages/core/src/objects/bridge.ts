import { HoldfastError, InvalidArgumentError } from '../errors/errors.js'
import type { AcquireOptions } from '../options/options.js'
import { outsideFrames } from '../ownership/frames.js'
import { BridgedLease } from './bridged-lease.js'
import type { OldHold } from './bridged-lease.js'
import type { Lease } from './lease.js'
import { Lock, otherCopy } from './lock.js'
import { OldCall } from './old-call.js'
import type { OldLock } from './old-call.js'
import { loseTogether } from './old-loss.js'
import { splitArguments } from './split-arguments.js'
import type { LockCallback } from './lock-callback.js'
import { kindOf, shown } from '../util/kind-of.js'
import { uncloneable } from '../util/uncloneable.js'

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
  withLock<T>(options: AcquireOptions | undefined, fn: LockCallback<T>): Promise<T>
  async withLock<T>(
    first: AcquireOptions | undefined | LockCallback<T>,
    second?: LockCallback<T>,
  ): Promise<T> {
    const { options, fn } = splitArguments<AcquireOptions, LockCallback<T>>(
      'withLock',
      this.#lock.name,
      first,
      second,
    )
    const owner = this.#lock.enclosingOwner
    return owner === undefined
      ? new OldCall(this.#oldLock, this.name, (lost) => this.#enter(options, fn, lost)).outcome
      : this.#nest(owner, options, fn)
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
  lock(options?: AcquireOptions): Promise<BridgedLease> {
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
  tryLock(options?: AcquireOptions): Promise<BridgedLease | null> {
    return this.#acquire(
      () => this.#lock.tryLock(options),
      async (lease, old) => {
        if (lease) return new BridgedLease(lease, old)
        await old.leave()
        return null
      },
    )
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

  async #enter<T>(
    options: AcquireOptions | undefined,
    fn: LockCallback<T>,
    lost: AbortSignal | undefined,
  ): Promise<T> {
    const nested = new Set<Promise<unknown>>()
    let entered: Lease | undefined
    let stopLosing = (): void => undefined
    try {
      return await this.#lock.withLock(options, (lease) => {
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

  async #nest<T>(owner: string, options: AcquireOptions | undefined, fn: LockCallback<T>): Promise<T> {
    const nested = this.#nestedOf(owner)
    const call = this.#lock.withLock(options, fn)
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
