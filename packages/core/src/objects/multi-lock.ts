import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import type { Member } from '../composing/member.js'
import { MemberBodies } from '../composing/member-bodies.js'
import { inOrder } from '../composing/member-order.js'
import { acquireTogether } from '../composing/multi-acquisition.js'
import type { AcquiredTogether } from '../composing/multi-attempt.js'
import type { Events } from '../events/events.js'
import { resolveReentrant, resolveRequest } from '../options/options.js'
import type { AcquireOptions, LeaseBounds, LockOptions, Request } from '../options/options.js'
import { callSite } from '../ownership/call-site.js'
import { nothingToUnlock } from '../ownership/scope.js'
import { toHoldfastError } from '../errors/store-errors.js'
import { monotonicMs } from '../util/clock.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { partsOf } from '../lock-client.js'
import type { LockClient } from '../lock-client.js'
import { multiSteps } from '../redis/kinds/multi.js'
import { acquireByOptions } from './acquire-by-options.js'
import type { Lease } from './lease.js'
import type { Lock } from './lock.js'
import { locksOf } from './locks-of.js'
import { MultiLease } from './multi-lease.js'
import { acquireInScopes } from './multi-scope.js'
import { splitArguments } from './split-arguments.js'
import type { LockCallback } from './lock-callback.js'
import { useLease } from './use-lease.js'
import { timedOutWaiting } from './wording.js'
import { uncloneable } from '../util/uncloneable.js'

/** @internal What multi locks need of their client. */
export interface MultiLockDeps {
  readonly settings: LeaseBounds & { readonly defaults: AcquireOptions }
  readonly events: Pick<Events, 'emitError'>
}

/**
 * Several locks that are acquired as one, as `holdfast.getMultiLock` returns them, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getMultiLock`
 */
export function getMultiLock(
  client: LockClient,
  members: readonly (Lock | string)[],
  options?: LockOptions,
): MultiLock {
  const parts = partsOf(client, 'getMultiLock')
  const locks = locksOf(members, (member) => parts.lock(member, false, undefined))
  for (const { member } of locks) member.client.session.carry?.(multiSteps)
  return new MultiLock(parts.lockDeps, locks, resolveReentrant(options))
}

function leaseOrTimeout(outcome: MultiLease | NotAcquired): MultiLease {
  if (outcome instanceof MultiLease) return outcome
  throw timedOutWaiting(outcome)
}

const leaseOrNull = (outcome: MultiLease | NotAcquired): MultiLease | null =>
  outcome instanceof MultiLease ? outcome : null

/**
 * Several locks that are acquired as one: all of them, or none. A cheap handle without state.
 *
 * Locks are always acquired in the same order, whatever the order in which they were given, so two multi locks never wait for
 * each other. The loss of one lock is the loss of all.
 */
export class MultiLock {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #deps: MultiLockDeps
  readonly #locks: readonly Lock[]
  readonly #members: readonly Member<Lease>[]
  readonly #reentrant: boolean | undefined

  /** @internal Multi locks come from `holdfast.getMultiLock(members)`. */
  constructor(deps: MultiLockDeps, locks: readonly Lock[], reentrant?: boolean) {
    this.#deps = deps
    this.#reentrant = reentrant
    this.#members = inOrder(locks.map(({ member }) => member))
    const byId = new Map([...locks].reverse().map((lock) => [lock.member.target.address.id, lock]))
    this.#locks = locks.filter((lock) => byId.get(lock.member.target.address.id) === lock)
  }

  /** The names of the locks, in the order in which they were given, without duplicates. */
  get names(): readonly string[] {
    return this.#locks.map(({ name }) => name)
  }

  /**
   * Runs `fn` while holding all locks and returns what it returned. Calls on the same locks inside `fn` re-enter, single
   * ones as well as those of other multi locks; they take turns, as for `Lock.withLock`.
   *
   * @throws `LockLostError` if one of the locks was lost before `fn` ended: with `result` if `fn` succeeded, or with its error as `cause`
   * if it failed after the loss; what `fn` throws otherwise; what `lock` throws
   */
  withLock<T>(fn: LockCallback<T, MultiLease>): Promise<T>
  /** The same with options. */
  withLock<T>(options: AcquireOptions | undefined, fn: LockCallback<T, MultiLease>): Promise<T>
  withLock<T>(
    first: AcquireOptions | undefined | LockCallback<T, MultiLease>,
    second?: LockCallback<T, MultiLease>,
  ): Promise<T> {
    const call = callSite(1)
    return useLease(() => {
      const { options, fn } = splitArguments<AcquireOptions, LockCallback<T, MultiLease>>(
        'withLock',
        undefined,
        first,
        second,
      )
      const request = this.#request(options)
      const beginBody = (): MemberBodies<Lease> => new MemberBodies(call)
      return {
        acquired: acquireTogether(this.#members, request, monotonicMs(), beginBody),
        signal: request.signal,
        use: (outcome: AcquiredTogether<Lease> | NotAcquired) => {
          if (outcome.kind === 'not-acquired') throw timedOutWaiting(outcome)
          const { hold, bodies = beginBody() } = outcome
          const lease = new MultiLease(hold, this.names, this.#deps)
          return {
            lease,
            run: () => bodies.run(() => fn(lease)),
            leave: () => {
              bodies.end()
              return lease.unlock()
            },
            report: (error) => this.#report(error),
          }
        },
      }
    })
  }

  /**
   * Waits until all locks are acquired. `waitMs` is for all of them together; `leaseMs` and `maxHoldMs` count from when the
   * last one was. Outside `withLock`, `lease.run` and `scope`, later calls do not re-enter: they wait for this hold.
   *
   * @throws `LockTimeoutError` when another owner kept one of the locks for `waitMs`; otherwise as `Lock.lock`. A call that
   * rejects leaves nothing held
   */
  lock(options?: AcquireOptions): Promise<MultiLease>
  lock(options?: AcquireOptions, second?: unknown): Promise<MultiLease> {
    return this.#acquireInScope(leaseOrTimeout, options, second)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` when another owner kept one of the locks. Then none of them
   * is held.
   *
   * @throws as `lock`, except `LockTimeoutError`
   */
  tryLock(options?: AcquireOptions): Promise<MultiLease | null>
  tryLock(options?: AcquireOptions, second?: unknown): Promise<MultiLease | null> {
    return this.#acquireInScope(leaseOrNull, options, second, 0)
  }

  /**
   * Undoes the newest `lock()` or `tryLock()` of a multi lock with the same members in the nearest scope.
   *
   * @throws `NotOwnerError` when there is none, `LockLostError` when one of the locks was lost before
   */
  async unlock(): Promise<void> {
    const [first] = this.#members
    if (!first) return
    const inScope = this.#members.find(({ client }) => client.frames.nearestScope()) ?? first
    const scope = inScope.client.frames.nearestScope()
    if (!scope) throw nothingToUnlock(first.target, this.isHeld())
    await scope.unlock(inScope.target, this.#id)
  }

  /** Whether the running async context holds all of them, by the clock; sends nothing. */
  isHeld(): boolean {
    return this.#locks.every((lock) => lock.isHeld())
  }

  /** For logs. */
  toJSON(): { names: readonly string[] } {
    return { names: this.names }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `MultiLock ${inspect(this.toJSON(), options)}`
  }

  /** The same for the same members. */
  get #id(): string {
    return JSON.stringify(this.#members.map(({ target: { kind, address } }) => [kind, address.id]))
  }

  #request(options: AcquireOptions | undefined, waitMs?: number): Request {
    return resolveRequest(options, this.#deps.settings, waitMs, this.#reentrant)
  }

  async #acquire(request: Request, startedAt = monotonicMs()): Promise<MultiLease | NotAcquired> {
    const outcome = await acquireTogether(this.#members, request, startedAt)
    return outcome.kind === 'acquired' ? new MultiLease(outcome.hold, this.names, this.#deps) : outcome
  }

  #acquireInScope<T>(
    toResult: (outcome: MultiLease | NotAcquired) => T,
    options: AcquireOptions | undefined,
    second: unknown,
    waitMs?: number,
  ): Promise<T> {
    return acquireByOptions(
      options,
      second,
      () => this.#request(options, waitMs),
      (request) => {
        const acquire = (startedAt: number) => this.#acquire(request, startedAt)
        return acquireInScopes(this.#members, this.#id, request, acquire)
      },
      toResult,
    )
  }

  #report(error: unknown): void {
    this.#deps.events.emitError(toHoldfastError(error))
  }
}
