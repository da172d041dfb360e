import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { isOwner } from '../engine/owner.js'
import type { Address } from '../engine/requests.js'
import type { LockSteps } from '../engine/lock-steps.js'
import type { Registry } from '../engine/registry.js'
import type { Sharing } from '../engine/sharing.js'
import type { Closing } from '../errors/closing.js'
import type { Events } from '../events/events.js'
import type { Acquired } from '../holding/hold.js'
import { notAnOwner, resolveForce } from '../options/force-options.js'
import type { ForceOptions } from '../options/force-options.js'
import type { Operations } from '../operating/operations.js'
import { partsOf } from '../lock-client.js'
import type { LockClient } from '../lock-client.js'
import { resolvePermits, resolveResize, resolveSize } from '../options/options.js'
import type {
  AcquireOptions,
  LeaseBounds,
  PermitOptions,
  ResizeOptions,
  SemaphoreOptions,
} from '../options/options.js'
import { titleFrom } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import { sharedSteps } from '../redis/kinds/shared.js'
import type { Client } from '../wiring/client.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Acquirer } from '../waiting/acquisition.js'
import type { NotAcquired } from '../waiting/outcome.js'
import type { Ready } from '../waiting/readiness.js'
import { rethrowToCaller } from './caller-stack.js'
import { traced } from './leak-traces.js'
import { PermitLeases } from './permit-lease.js'
import type { PermitLease } from './permit-lease.js'
import { sendResize } from './resize.js'
import { describeSemaphore } from './semaphore-inspection.js'
import type { SemaphoreInfo } from './semaphore-inspection.js'
import { splitArguments } from './split-arguments.js'
import { useLease } from './use-lease.js'
import { timedOutWaiting } from './wording.js'
import { uncloneable } from '../util/uncloneable.js'

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
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>
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
    return useLease(() => {
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
    })
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
