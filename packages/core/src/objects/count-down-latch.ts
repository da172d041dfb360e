import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { hasOpened, isOpen, isSet } from '../engine/latch.js'
import type { LatchInspection, LatchSession, LatchState } from '../engine/latch.js'
import type { Address } from '../engine/requests.js'
import type { Registry } from '../engine/registry.js'
import { LatchGoneError, UnavailableError } from '../errors/errors.js'
import type { AcquireOptions, LeaseBounds } from '../options/options.js'
import type { Owners } from '../ownership/owners.js'
import { toHoldfastError } from '../errors/store-errors.js'
import { LatchWait } from '../waiting/latch-wait.js'
import type { LatchWaitDeps } from '../waiting/latch-wait.js'
import type { NotAcquired, Passed } from '../waiting/outcome.js'
import { partsOf } from '../lock-client.js'
import type { LockClient } from '../lock-client.js'
import { latchSteps } from '../redis/latches.js'
import { refreshLatches } from '../waiting/refresh-latches.js'
import type { Client } from '../wiring/client.js'
import { rethrowToCaller } from './caller-stack.js'
import { describeLatch, mostParties, namedParty } from './latch-info.js'
import type { LatchInfo } from './latch-info.js'
import { checkCount, resolveKeepMs, resolveParty, resolveWait } from './latch-options.js'
import type { CountDownOptions, LatchSetOptions, LatchWaitOptions } from './latch-options.js'
import { LatchSteps } from './latch-steps.js'
import type { LatchStepDeps } from './latch-steps.js'
import { timedOutWaiting } from './wording.js'
import { uncloneable } from '../util/uncloneable.js'

/** @internal What latches need of their client. */
export interface LatchDeps extends LatchStepDeps {
  readonly registry: Registry
  readonly latches: LatchSession
  readonly settings: LatchStepDeps['settings'] & LeaseBounds & { readonly defaults: AcquireOptions }
  /** How long a deleted latch is remembered. */
  readonly tombstoneMs: number
  /** Of waits, and of parties: no client has had a party of that name. */
  readonly owners: Owners
  readonly waiting: LatchWaitDeps
}

const deps = new WeakMap<Client, LatchDeps>()

function makeDeps(client: Client): LatchDeps {
  const { store, settings, events, closing, owners, waiting, engine } = client
  const { session, readiness, waiters, abandonment } = store
  session.carry?.(latchSteps)
  const { store: facts, registry, latches } = session
  if (!latches) throw new TypeError(`the engine ${engine.name} promises latches that it does not have`)
  const { watchdogTimeoutMs: aliveMs, commandTimeoutMs: timeoutMs } = settings
  waiters.refreshLatches = (queued) => refreshLatches(queued, waiters, { latches, aliveMs, timeoutMs })
  const ofLatches = {
    latches,
    tombstoneMs: abandonment.tombstoneMs(0),
    waiting: { ...waiting, latches, aliveMs },
  }
  const made = { store: facts, registry, settings, events, readiness, closing, owners, ...ofLatches }
  deps.set(client, made)
  return made
}

/**
 * The count-down latch of this name, as `holdfast.getCountDownLatch` returns it, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getCountDownLatch`
 */
export function getCountDownLatch(client: LockClient, name: string): CountDownLatch {
  const parts = partsOf(client, 'getCountDownLatch')
  const address = parts.locate(name, 'latch')
  return new CountDownLatch(deps.get(parts) ?? makeDeps(parts), address)
}

function passedOrTimeout(outcome: Passed | NotAcquired): void {
  if (outcome.kind !== 'passed') throw timedOutWaiting(outcome)
}

const hasPassed = ({ kind }: Passed | NotAcquired): boolean => kind === 'passed'

/**
 * A named count-down latch: waits pass once a given number of parties have counted down. Before a count is set, it is closed.
 *
 * A cheap handle: it may live at module level and serve many requests at once. Each count that is set starts a new generation.
 * A wait belongs to the generation that it finds, and passes when that opens, even if the next count is set by then.
 */
export class CountDownLatch {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #deps: LatchDeps
  readonly #address: Address
  readonly #steps: LatchSteps
  /** The last generation that this handle has seen: a guess, which saves a command when it is right. */
  #generation = 0

  /** @internal Latches come from `holdfast.getCountDownLatch(name)`. */
  constructor(deps: LatchDeps, address: Address) {
    this.#deps = deps
    this.#address = address
    this.#steps = new LatchSteps(deps, address)
  }

  /** The name given to `getCountDownLatch`. */
  get name(): string {
    return this.#address.name
  }

  /**
   * Sets the count, if none is set or the latch is open. Safe to call from each of several processes: one of them sets it.
   *
   * @param count - how many parties have to count down, from 1 to 100,000
   * @returns `false` when a count is set that has not been counted down yet; then nothing was changed
   * @throws `UnavailableError` when the store did not reply within `watchdogTimeoutMs`, during which it is sent again;
   * `RefusedError`, `NotALockError`, `InvalidArgumentError`, `ClosedError`
   */
  async trySetCount(count: number, options?: LatchSetOptions): Promise<boolean> {
    checkCount(count)
    const keepMs = resolveKeepMs(options)
    const setter = this.#deps.owners.next()
    let state = await this.#state()
    for (;;) {
      if (isSet(state) && !isOpen(state)) return false
      const request = { named: state.generation, setter, count, keepMs }
      const { latches } = this.#deps
      const { reply, inDoubt } = await this.#steps.run((ms) => latches.set(this.#address, request, ms))
      state = reply.state
      this.#generation = state.generation
      if (reply.kind === 'done') return true
      // Others set the count that followed the one seen here: so no copy of this call did, and none can any more.
      const isUndone = !inDoubt || state.previous === request.named
      if (!isUndone && (isOpen(state) || !isSet(state))) throw this.#unknownOutcome()
    }
  }

  /**
   * Counts down. The last party opens the latch. Once it is open this changes nothing.
   *
   * While the store does not reply it is sent again, as the same party: it counts once. A process that dies before it is
   * acknowledged may have counted: name the party (`as`) if another process will do the work again.
   *
   * @returns how many parties are left; 0 when the latch is open
   * @throws `LatchGoneError` when no count is set: it never was, or it was deleted, expired or lost; `UnavailableError` also
   * when no reply came and the count that this handle knew was over by then: nothing was counted in the next one. Otherwise as
   * `trySetCount`
   */
  async countDown(options?: CountDownOptions): Promise<number> {
    const name = resolveParty(options)
    const { latches } = this.#deps
    const party = name === undefined ? this.#deps.owners.next() : namedParty(name)
    let named = this.#generation
    let isGuess = named > 0
    for (;;) {
      const request = { named, party }
      const { reply, inDoubt } = await this.#steps.run((ms) => latches.countDown(this.#address, request, ms))
      const { kind, state } = reply
      this.#generation = state.generation
      if (kind === 'done') return state.left
      // Without a reply it may have counted in the named generation. So it must not count in another.
      if (inDoubt && isGuess) throw this.#uncounted()
      if (inDoubt && named > 0) {
        if (hasOpened(state, named)) return 0
        throw this.#gone(
          'it was deleted, or the store lost it, during this count-down; set the count and count down again',
        )
      }
      if (!isSet(state))
        throw this.#gone(
          'no count is set, so nothing was counted; call trySetCount before workers count down',
        )
      named = state.generation
      isGuess = false
    }
  }

  /**
   * Waits until the latch is open. Before a count is set it waits for that, too.
   *
   * @throws `LockTimeoutError` when it was not open within `waitMs`; the signal's reason when aborted; `LatchGoneError` when
   * the latch was deleted or lost before it opened; `UnavailableError` when the store did not reply within `waitMs` (an
   * unlimited wait outlives outages); `RefusedError`, `NotALockError`, `InvalidArgumentError`, `TooManyWaitersError`,
   * `ClosedError`
   */
  wait(options?: LatchWaitOptions): Promise<void> {
    return this.#wait(passedOrTimeout, options)
  }

  /**
   * Waits for `waitMs` (default 0: looks once) and returns whether the latch is open. `false` when no count is set.
   *
   * @throws as `wait`, except `LockTimeoutError`
   */
  tryWait(options?: LatchWaitOptions): Promise<boolean> {
    return this.#wait(hasPassed, options, 0)
  }

  /**
   * How many parties have not counted down yet: 0 when the latch is open, `null` when no count is set.
   *
   * @throws `UnavailableError` when the store did not reply within `commandTimeoutMs`; otherwise as `trySetCount`
   */
  async count(): Promise<number | null> {
    const { state } = await this.#readOnce(0)
    return isSet(state) ? state.left : null
  }

  /**
   * Deletes the latch, open or not. Waiters that it has not let pass get a `LatchGoneError`, and the next `trySetCount` sets
   * a new count. A latch that is not used any more need not be deleted: it expires after `keepMs`.
   *
   * @returns whether a count was set
   * @throws as `trySetCount`
   */
  async delete(): Promise<boolean> {
    const { latches, tombstoneMs } = this.#deps
    for (let state = await this.#state(); isSet(state);) {
      const request = { named: state.generation, tombstoneMs }
      const { reply, inDoubt } = await this.#steps.run((ms) => latches.delete(this.#address, request, ms))
      if (reply.kind === 'done' || inDoubt) return true
      state = reply.state
    }
    return false
  }

  /**
   * The count, the named parties that have counted down, and which processes wait. For diagnostics only. Throws as
   * `count`.
   */
  async inspect(): Promise<LatchInfo> {
    const inspection = await this.#readOnce(mostParties)
    try {
      return await describeLatch(this.name, inspection, this.#deps.registry)
    } catch (error) {
      throw toHoldfastError(error, { lockName: this.name, title: `latch ${this.name}` })
    }
  }

  /** For logs. */
  toJSON(): { name: string } {
    return { name: this.name }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `CountDownLatch ${inspect(this.toJSON(), options)}`
  }

  /** Not async on purpose: there may be very many waits, and each async frame costs memory. */
  #wait<T>(
    toResult: (outcome: Passed | NotAcquired) => T,
    options: LatchWaitOptions | undefined,
    waitMs?: number,
  ): Promise<T> {
    try {
      const request = resolveWait(options, this.#deps.settings, waitMs)
      const { closing, owners, waiting } = this.#deps
      closing.assertOpen(this.name)
      const target = { address: this.#address, kind: 'latch', permits: 1, size: undefined } as const
      const wait = new LatchWait(waiting, owners.nextNumber(), target, request)
      return wait.runTraced().then(toResult, rethrowToCaller(request.signal))
    } catch (error) {
      return Promise.reject(toHoldfastError(error))
    }
  }

  async #state(): Promise<LatchState> {
    const { reply } = await this.#steps.run(() => this.#deps.latches.inspect(this.#address, 0))
    this.#generation = reply.state.generation
    return reply.state
  }

  async #readOnce(limit: number): Promise<LatchInspection> {
    const inspection = await this.#steps.once(() => this.#deps.latches.inspect(this.#address, limit))
    this.#generation = inspection.state.generation
    return inspection
  }

  #gone(why: string): LatchGoneError {
    return new LatchGoneError(`latch ${this.name} is gone: ${why}`, { lockName: this.name })
  }

  #uncounted(): UnavailableError {
    const text = `latch ${this.name}: no reply came, and the count that this handle knew is over; whether this call counted in it is unknown, and it did not count in the next one. A party named by as may call again`
    return new UnavailableError(text, { lockName: this.name })
  }

  #unknownOutcome(): UnavailableError {
    const text = `latch ${this.name}: no reply came, and another call has set the count since; whether this call set it before that is unknown, see inspect()`
    return new UnavailableError(text, { lockName: this.name })
  }
}
