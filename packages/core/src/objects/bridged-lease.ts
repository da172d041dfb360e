import { HoldfastError } from '../errors/errors.js'
import type { RunOptions } from '../options/options.js'
import type { Lease } from './lease.js'
import { splitArguments } from './split-arguments.js'
import { uncloneable } from '../util/uncloneable.js'

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
