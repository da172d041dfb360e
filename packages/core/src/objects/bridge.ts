import { requireFunction } from '../checks.js'
import { HoldfastError, InvalidArgumentError } from '../errors.js'
import type { AcquireOptions } from '../options.js'
import type { Lease } from './lease.js'
import { Lock, otherCopy } from './lock.js'
import { splitArguments } from './split-arguments.js'
import type { LockCallback } from './lock-callback.js'
import { kindOf } from '../util/kind-of.js'

/** Runs `work` while it holds a lock of another library, and resolves with what `work` returned. */
export type OldLock = <T>(work: () => Promise<T>) => Promise<T>

/** Nested calls under way inside each bridged one, by the owner of its hold. */
const nestedCalls = new Map<string, Set<Promise<unknown>>>()

/** A lock that is taken together with the one it replaces. Made by {@link bridge}. */
export class BridgedLock {
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
   * Options are those of the new lock. How long to wait for the old one, and what its loss means, is up to `oldLock`.
   *
   * @throws what the old lock throws; `HoldfastError` inside a hold of the lock that was not acquired through a bridge;
   * otherwise as `Lock.withLock`
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
      ? this.#oldLock(() => this.#enter(options, fn))
      : this.#nest(owner, options, fn)
  }

  async #enter<T>(options: AcquireOptions | undefined, fn: LockCallback<T>): Promise<T> {
    const nested = new Set<Promise<unknown>>()
    let entered: Lease | undefined
    try {
      return await this.#lock.withLock(options, (lease) => {
        entered = lease
        nestedCalls.set(lease.owner, nested)
        return fn(lease)
      })
    } finally {
      while (nested.size > 0) await Promise.allSettled(nested)
      if (entered) nestedCalls.delete(entered.owner)
    }
  }

  async #nest<T>(owner: string, options: AcquireOptions | undefined, fn: LockCallback<T>): Promise<T> {
    const nested = nestedCalls.get(owner)
    if (!nested) {
      throw new HoldfastError(
        `lock ${this.#lock.name} is already held without its old lock: acquire it through the bridge everywhere`,
        { lockName: this.#lock.name, owner },
      )
    }
    const call = this.#lock.withLock(options, fn)
    nested.add(call)
    try {
      return await call
    } finally {
      nested.delete(call)
    }
  }
}

/**
 * Takes the lock of another library around one of Holdfast: for a rolling deployment in which processes with the old
 * code and with the new code run side by side, and neither knows the other's lock.
 *
 * Deploy this first. Once no process is left that takes only the old lock, deploy the new lock alone. All processes take the
 * old lock first, so that two of them never wait for each other.
 *
 * @param oldLock - such as `(work) => redlock.using([name], 10_000, work)`
 * @throws `InvalidArgumentError` for anything but a function and a lock
 */
export function bridge(oldLock: OldLock, lock: Lock): BridgedLock {
  requireFunction('bridge', oldLock)
  const given: unknown = lock
  if (!(given instanceof Lock)) {
    const kind = kindOf(given)
    const got = kind === 'a lock' ? otherCopy : kind
    throw new InvalidArgumentError(
      `bridge needs a lock of this package, got ${got}; write bridge(oldLock, lock)`,
    )
  }
  return new BridgedLock(oldLock, given)
}
