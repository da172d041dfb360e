import { inspect, type InspectOptions } from 'node:util'
import type { FencedClient } from '../engine/session.js'
import { InvalidArgumentError, NotOwnerError, type LockLostError } from '../errors/errors.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { Lease } from '../objects/lease.js'
import { Lock } from '../objects/lock.js'
import { runHeld, splitArguments, untilTurnOrTimeout } from '../objects/entrance.js'
import { resolveRun, type RunOptions, type Settings } from '../options/options.js'
import { callSite } from '../ownership/call-site.js'
import { abortController } from '../util/timeouts.js'
import { monotonicMs } from '../time/time.js'
import { shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'
import { MemberBodies, type HeldMember } from './member.js'
import type { MultiHold } from './multi-hold.js'

/**
 * One entry into all locks of a multi lock, to be released with `unlock()`. The loss of one lock is the loss of all.
 */
export class MultiLease {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #hold: MultiHold
  readonly #names: readonly string[]
  readonly #settings: Settings
  #abort: AbortController | undefined
  #left: Promise<void> | undefined

  /** @internal Multi leases come from `lock`, `tryLock` and `withLock` of a multi lock. */
  constructor(hold: MultiHold, names: readonly string[], settings: Settings) {
    this.#hold = hold
    this.#names = names
    this.#settings = settings
    hold.whenLost((error) => this.#abort?.abort(error))
  }

  /** The names of the locks, in the order in which they were given to `getMultiLock`. */
  get names(): readonly string[] {
    return this.#names
  }

  /**
   * The fencing token of one of the locks: each has a sequence of its own.
   *
   * @param member - its name, or the lock itself where several have this name
   * @throws `InvalidArgumentError` for a lock that is not one of these, `HoldfastError` as `Lease.fencingToken`
   */
  fencingToken(member: string | Lock): number {
    return leaseOf(this.#memberOf(member)).fencingToken
  }

  /**
   * The same, or `undefined` if the hold of that lock has no token.
   *
   * @throws `InvalidArgumentError` for a lock that is not one of these
   */
  fencingTokenIfAny(member: string | Lock): number | undefined {
    return leaseOf(this.#memberOf(member)).fencingTokenIfAny
  }

  /**
   * Ties a transaction of the application to all the holds, as `Lease.fence` does to one: it fails if one of them is not the
   * current one. Takes them in the order in which the locks were acquired, so that two transactions never deadlock.
   *
   * @param client - of the application, inside a transaction in the database that has all the locks
   * @throws as `Lease.fence`
   */
  async fence(client: FencedClient): Promise<void> {
    for (const held of this.#hold.members) await leaseOf(held).fence(client)
  }

  /**
   * Aborts with a `LockLostError` (reason `member-lost`) when one of the locks is lost, at the earliest deadline at the
   * latest: pass it to what you await inside. Never aborts once `unlock()` was called, which throws the loss
   * that it finds. Created on first use.
   */
  get signal(): AbortSignal {
    this.#abort ??= abortController()
    const { loss } = this
    if (loss) this.#abort.abort(loss)
    return this.#abort.signal
  }

  /** @internal Why it was lost, unless it was left before. */
  get loss(): LockLostError | undefined {
    return this.#left ? undefined : this.#hold.loss
  }

  /** Whether all of them can be relied on at this moment; correct even on the first line after an event-loop stall. */
  get isHeld(): boolean {
    return !this.#left && this.#hold.isHeld
  }

  /** Milliseconds until the earliest deadline unless it is renewed before; 0 when not held. */
  remainingMs(): number {
    return this.#left ? 0 : this.#hold.remainingMs()
  }

  /**
   * Throws `LockLostError` when one of the locks was lost, or is in doubt because the machine was suspended (reason
   * `suspended`); `NotOwnerError` after `unlock()`.
   */
  assertHeld(): void {
    this.#assertUsable()
    const doubtful = this.#hold.members.find(({ hold }) => !hold.isHeld)
    this.#assertUsable()
    if (doubtful) throw lossOf(doubtful.member.target, doubtful.hold.owner, 'suspended')
  }

  /**
   * Runs `fn` inside all the holds, so that calls on the same locks in it re-enter, and returns what it returned. Waits for its
   * turn in each of them, as `Lease.run`.
   *
   * @throws `NotOwnerError` after `unlock()`, `LockLostError` when one of the locks was lost, otherwise as `Lease.run`
   */
  run<T>(fn: () => T | PromiseLike<T>): Promise<T>
  /** The same with options: `waitMs` and `signal` are about its turn. */
  run<T>(options: RunOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T>
  async run<T>(
    first: RunOptions | undefined | (() => T | PromiseLike<T>),
    second?: () => T | PromiseLike<T>,
  ): Promise<T> {
    const { options, fn } = splitArguments<RunOptions, () => T | PromiseLike<T>>(
      'run',
      undefined,
      first,
      second,
    )
    const request = resolveRun(options, this.#settings)
    this.#assertUsable()
    const bodies = new MemberBodies(callSite(1))
    try {
      for (const { member, hold } of this.#hold.members) bodies.join(member, hold)
      if (bodies.mustWait) {
        await untilTurnOrTimeout(bodies.untilTurn(request, monotonicMs()), request.signal)
        this.#assertUsable()
      }
      return await runHeld(this, () => bodies.run(fn))
    } finally {
      bodies.end()
    }
  }

  /**
   * Releases all of them at once; a second call does nothing. Resolves when the store has confirmed it, as for `Lease`.
   *
   * @throws `LockLostError` when one of them was lost before: another client may have held that lock since
   */
  unlock(): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = this.#hold.leave()
    return this.#left
  }

  /** `unlock()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlock()
  }

  /** For logs. */
  toJSON(): { names: readonly string[]; owners: readonly string[]; remainingMs: number } {
    const owners = this.#hold.members.map(({ hold }) => hold.owner)
    return { names: this.#names, owners, remainingMs: this.remainingMs() }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `MultiLease ${inspect(this.toJSON(), options)}`
  }

  /** @internal Whether it was left. */
  get isLeft(): boolean {
    return this.#left !== undefined
  }

  /** @internal The locks, in the order in which they were acquired. */
  get members(): readonly HeldMember[] {
    return this.#hold.members
  }

  #memberOf(member: string | Lock): HeldMember {
    const wanted = member instanceof Lock ? member.member : undefined
    const found = this.#hold.members.filter(({ member: { client, target } }) =>
      wanted
        ? client === wanted.client && target.address.id === wanted.target.address.id
        : target.address.name === member,
    )
    const [first] = found
    const name = member instanceof Lock ? member.name : member
    if (!first) {
      throw new InvalidArgumentError(
        `fencingToken needs one of the locks of this multi lock (${this.#names.join(', ')}), got ${shown(name)}`,
      )
    }
    if (found.length === 1) return first
    throw new InvalidArgumentError(
      `several locks of this multi lock are named ${name}: pass the lock itself`,
      {
        lockName: name,
      },
    )
  }

  #assertUsable(): void {
    if (this.#left) {
      throw new NotOwnerError(`this lease on the locks ${this.#names.join(', ')} has already been released`)
    }
    const { loss } = this.#hold
    if (loss) throw lossForCaller(loss)
  }
}

/** The lease of one of the locks, for what only a lease can do. */
const leaseOf = ({ member: { client }, entry }: HeldMember): Lease => new Lease(client, entry)
