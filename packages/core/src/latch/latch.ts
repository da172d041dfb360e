import { inspect, type InspectOptions } from 'node:util'
import { splitIntoBatches } from '@holdfast/watchdog'
import {
  hasOpened,
  isAwaited,
  isOpen,
  isSet,
  type Awaited,
  type LatchInspection,
  type LatchReply,
  type LatchSession,
  type LatchState,
  type LatchWaitReply,
} from '../engine/latch.js'
import type { ClientInfo, NotALockReply, Address, Target } from '../engine/requests.js'
import type { Registry } from '../engine/session.js'
import {
  InvalidArgumentError,
  LatchGoneError,
  notALock,
  toHoldfastError,
  UnavailableError,
} from '../errors/errors.js'
import { storeOf, type LockClient } from '../lock-client.js'
import { timedOutWaiting } from '../objects/entrance.js'
import { checkOptions, requireInteger } from '../options/checks.js'
import { resolveRequest, type AcquireOptions, type Request, type Settings } from '../options/options.js'
import { rethrowToCaller } from '../ownership/turns.js'
import { latchSteps } from '../redis/carried-steps.js'
import type { StoreClient } from '../store-client.js'
import { momentNow, monotonicMs, type Moment } from '../time/time.js'
import { shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'
import { pause, retryAfterMs } from '../util/timeouts.js'
import { latchGone, notAcquired, type NotAcquired, type Passed } from '../waiting/outcome.js'
import { StoreWait } from '../waiting/wait.js'
import type { Obstacle, Waiter } from '../waiting/waiter-table.js'

/**
 * The count-down latch of this name, as `holdfast.getCountDownLatch` returns it, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getCountDownLatch`
 */
export function getCountDownLatch(client: LockClient, name: string): CountDownLatch {
  const store = storeOf(client, 'getCountDownLatch')
  const address = store.locate(name, 'latch')
  const { session, waiters, engine } = store
  session.carry?.(latchSteps)
  const { latches } = session
  if (!latches) throw new TypeError(`the engine ${engine.name} promises latches that it does not have`)
  waiters.refreshLatches ??= (queued) => refreshLatches(store, latches, queued)
  return new CountDownLatch(store, latches, address)
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
  readonly #store: StoreClient
  readonly #latches: LatchSession
  readonly #address: Address
  readonly #steps: LatchSteps
  /** The last generation that this handle has seen: a guess, which saves a command when it is right. */
  #generation = 0

  /** @internal Latches come from `holdfast.getCountDownLatch(name)`. */
  constructor(store: StoreClient, latches: LatchSession, address: Address) {
    this.#store = store
    this.#latches = latches
    this.#address = address
    this.#steps = new LatchSteps(store, address)
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
    const setter = this.#store.owners.next()
    let state = await this.#state()
    for (;;) {
      if (isSet(state) && !isOpen(state)) return false
      const request = { named: state.generation, setter, count, keepMs }
      const { reply, inDoubt } = await this.#steps.run((ms) => this.#latches.set(this.#address, request, ms))
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
    const party = name === undefined ? this.#store.owners.next() : namedParty(name)
    let named = this.#generation
    let isGuess = named > 0
    for (;;) {
      const request = { named, party }
      const { reply, inDoubt } = await this.#steps.run((ms) =>
        this.#latches.countDown(this.#address, request, ms),
      )
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
    // How long it is remembered.
    const tombstoneMs = this.#store.abandonment.tombstoneMs(0)
    for (let state = await this.#state(); isSet(state);) {
      const request = { named: state.generation, tombstoneMs }
      const { reply, inDoubt } = await this.#steps.run((ms) =>
        this.#latches.delete(this.#address, request, ms),
      )
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
      return await describeLatch(this.name, inspection, this.#store.registry)
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
      const request = resolveWait(options, this.#store.settings, waitMs)
      this.#store.closing.assertOpen(this.name)
      const target = { address: this.#address, kind: 'latch', permits: 1, size: undefined } as const
      return new LatchWait(this.#store, this.#latches, target, request)
        .runTraced()
        .then(toResult, rethrowToCaller(request.signal))
    } catch (error) {
      return Promise.reject(toHoldfastError(error))
    }
  }

  async #state(): Promise<LatchState> {
    const { reply } = await this.#steps.run(() => this.#latches.inspect(this.#address, 0))
    this.#generation = reply.state.generation
    return reply.state
  }

  async #readOnce(limit: number): Promise<LatchInspection> {
    const inspection = await this.#steps.once(() => this.#latches.inspect(this.#address, limit))
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

/** What `inspect()` of a latch returns. */
export interface LatchInfo {
  /** The name given to `getCountDownLatch`. */
  readonly name: string
  readonly kind: 'latch'
  /** Whether a count is set; it still is when the latch is open. */
  readonly isSet: boolean
  /** Whether all parties have counted down, so that waits pass. */
  readonly isOpen: boolean
  /** How many parties have to count down in all; 0 when no count is set. */
  readonly count: number
  /** How many have not yet counted down. */
  readonly left: number
  /** Identifies the count: a number that grows with each count that is set. 0 when none is known. */
  readonly generation: number
  /** How long the store keeps the latch unless it is used, milliseconds. */
  readonly remainingMs: number
  /**
   * The named parties that have counted down, at most 100, sorted. Empty once the latch is open. Some may be missing if more
   * than 10,000 parties have counted down.
   */
  readonly parties: readonly string[]
  /** How many clients wait, or did within the last `watchdogTimeoutMs`. */
  readonly waiterCount: number
  /** Some of them, at most 100; `client` is `null` when the registration has expired. */
  readonly waiters: readonly { readonly clientId: string; readonly client: ClientInfo | null }[]
}

/** Named parties begin with this. Others are named after their client, whose id never does. */
const nameMark = '@'

const namedParty = (name: string): string => nameMark + name

/** How many parties to ask the store for, which knows no difference between named ones and others. */
const mostParties = 10_000
const mostListed = 100

async function describeLatch(
  name: string,
  { state, count, ttlMs, parties, waiterCount, waiters }: LatchInspection,
  registry: Registry,
): Promise<LatchInfo> {
  const named = parties
    .filter((party) => party.startsWith(nameMark))
    .map((party) => party.slice(nameMark.length))
  return {
    name,
    kind: 'latch',
    isSet: isSet(state),
    isOpen: isOpen(state),
    count: isSet(state) ? count : 0,
    left: isSet(state) ? state.left : 0,
    generation: state.generation,
    remainingMs: isSet(state) ? Math.max(0, ttlMs) : 0,
    parties: named.sort().slice(0, mostListed),
    waiterCount,
    waiters: await Promise.all(
      waiters
        .slice(0, mostListed)
        .map(async (clientId) => ({ clientId, client: await registry.find(clientId) })),
    ),
  }
}

/** How a count is set. */
export interface LatchSetOptions {
  /**
   * How long the latch outlives its last use: a count-down, a `trySetCount`, or a waiter. After that it is gone, as if it had
   * been deleted. Choose it longer than the longest pause between two count-downs. Whole milliseconds, at least 1,000.
   *
   * @defaultValue 86_400_000, a day
   */
  readonly keepMs?: number | undefined
}

/** Who counts down. */
export interface CountDownOptions {
  /**
   * The name of the party, 1 to 256 bytes, such as `shard-7`. A named party counts once, however often it counts down: use it
   * when a worker may be restarted, or a job be delivered twice. Without it every call is a new party.
   */
  readonly as?: string | undefined
}

/** How a wait ends. An option that is left out or `undefined` takes the client's default. */
export interface LatchWaitOptions extends Pick<AcquireOptions, 'signal'> {
  /**
   * How long to wait for the latch to open. 0 looks once, `Infinity` waits without limit.
   *
   * @defaultValue unlimited for `wait`, unless the client has a default; 0 for `tryWait`, always
   */
  readonly waitMs?: number | undefined
}

const largestCount = 100_000
const largestNameBytes = 256
const shortestKeepMs = 1_000
const defaultKeepMs = 86_400_000

const setOptionNames = new Set(['keepMs'])
const countDownOptionNames = new Set(['as'])
const waitOptionNames = new Set(['waitMs', 'signal'])

function checkCount(count: unknown): void {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= largestCount) return
  throw new InvalidArgumentError(`count must be an integer from 1 to ${largestCount}, got ${shown(count)}`)
}

function resolveKeepMs(options: LatchSetOptions = {}): number {
  checkOptions(options, setOptionNames)
  const { keepMs = defaultKeepMs } = options
  requireInteger('keepMs', keepMs, shortestKeepMs)
  return keepMs
}

function resolveParty(options: CountDownOptions = {}): string | undefined {
  const given: unknown = options
  if (typeof given === 'number') {
    throw new InvalidArgumentError(
      `countDown counts once for one party, got ${given}: call it once per party, or name each as countDown({ as })`,
    )
  }
  checkOptions(options, countDownOptionNames)
  const name: unknown = options.as
  if (name === undefined) return undefined
  if (typeof name !== 'string' || name === '' || Buffer.byteLength(name) > largestNameBytes) {
    throw new InvalidArgumentError(
      `as must be a string of 1 to ${largestNameBytes} bytes, got ${shown(name)}`,
    )
  }
  return name
}

function resolveWait(options: LatchWaitOptions | undefined, settings: Settings, waitMs?: number): Request {
  if (options !== undefined) checkOptions(options, waitOptionNames)
  return resolveRequest(options, settings, waitMs)
}

/** A reply, and whether an earlier copy of the step may have been carried out, or may be still. */
interface Replied<T> {
  readonly reply: T
  readonly inDoubt: boolean
}

/** Sends the steps of one latch, and sends them again while the store does not reply. */
export class LatchSteps {
  readonly #store: StoreClient
  readonly #address: Address

  constructor(store: StoreClient, address: Address) {
    this.#store = store
    this.#address = address
  }

  /** Sends it once: what only reads need not be sent again. */
  async once<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<T> {
    const { name } = this.#address
    try {
      return await this.#attempt(send)
    } catch (error) {
      throw toHoldfastError(error, { lockName: name, title: `latch ${name}` })
    }
  }

  /**
   * For one watchdog time at the most: a failover takes no longer. A step that is repeated is the same to the letter, so
   * that it makes no difference how often it is carried out.
   */
  async run<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<Replied<T>> {
    const { facts, settings, events } = this.#store
    const until = monotonicMs() + settings.watchdogTimeoutMs
    let inDoubt = false
    for (let failures = 1; ; failures++) {
      const epoch = facts.connectionEpoch
      try {
        const reply = await this.#attempt(send)
        return { reply, inDoubt: inDoubt || epoch !== facts.connectionEpoch }
      } catch (thrown) {
        const { name } = this.#address
        const error = toHoldfastError(thrown, { lockName: name, title: `latch ${name}` })
        if (!(error instanceof UnavailableError) || monotonicMs() >= until) throw error
        inDoubt = true
        events.emitError(error)
        await pause(retryAfterMs(failures))
      }
    }
  }

  async #attempt<T extends LatchReply | LatchInspection>(
    send: (timeoutMs: number) => Promise<T | NotALockReply>,
  ): Promise<T> {
    const { settings, readiness, closing } = this.#store
    closing.assertOpen(this.#address.name)
    await readiness.ready(this.#address)
    const reply = await send(settings.commandTimeoutMs)
    if (reply.kind === 'not-a-lock') throw notALock(this.#address, reply)
    return reply
  }
}

/** What the last reply said: which opening it waits for, and whether this client is notified of it. */
interface Closed {
  readonly awaited: Awaited
  readonly heardAt: Moment
  readonly isNotified: boolean
}

/** One wait for a latch, under an owner that only this client knows. It leaves nothing behind that would hold anyone up. */
class LatchWait extends StoreWait<Passed | NotAcquired> {
  readonly #latches: LatchSession
  #closed: Closed | undefined

  constructor(store: StoreClient, latches: LatchSession, target: Target, request: Request) {
    super(store, store.owners.nextNumber(), target, request)
    this.#latches = latches
  }

  get awaited(): Awaited | undefined {
    return this.#closed?.awaited
  }

  get obstacle(): Obstacle | undefined {
    if (!this.#closed) return undefined
    const { heardAt, isNotified } = this.#closed
    return { holder: '', position: isNotified ? 1 : 0, at: heardAt.monotonicMs }
  }

  /** Another opening than the awaited one proves nothing, but a later one says that something was missed. */
  opened(generation: number): void {
    const { awaited } = this
    if (awaited && isAwaited(awaited, generation)) this.#pass(generation)
    else if (!awaited || generation > awaited.generation) this.wake()
  }

  /** No one evicts it. */
  revoked(): void {
    this.wake()
  }

  protected get hasEntry(): boolean {
    return this.#closed?.isNotified === true
  }

  protected get inVain(): NotAcquired {
    return notAcquired(this, this.obstacle, this.waitedMs, undefined)
  }

  protected send(timeoutMs: number): void {
    // All waiters of a client are notified together, so each asks for that for as long as the client lets any of them live.
    const aliveMs = this.store.settings.watchdogTimeoutMs
    const sentAt = momentNow()
    const isNotified = this.takePlace()
    // In the list from now on: an opening may be known here before the reply is.
    if (isNotified) this.store.waiters.wait(this, false)
    const wait = { address: this.address, awaited: this.awaited, aliveMs: isNotified ? aliveMs : 0 }
    this.take(this.#latches.wait([wait], timeoutMs), ([reply]) =>
      this.#onReply(reply ?? { kind: 'gone' }, sentAt, isNotified),
    )
  }

  protected readObstacle(): void {
    // No one is in the way.
  }

  protected abandon(): void {
    // The store forgets it by itself.
  }

  #onReply(reply: LatchWaitReply, heardAt: Moment, isNotified: boolean): void {
    switch (reply.kind) {
      case 'closed':
        this.#closed = { awaited: reply.awaited, heardAt, isNotified }
        this.enter('waiting')
        // It opens at no time that is known now: only a notification, or a refresh, ends the wait.
        if (this.options.waitMs === 0) this.end(this.inVain)
        else this.wait(Infinity, false, undefined, reply.againMs)
        return
      case 'passed':
        // Others here that wait for the same opening need not ask.
        if (this.#closed) this.store.waiters.opened(this.address.id, reply.generation)
        this.#pass(reply.generation)
        return
      case 'gone':
        this.fail(latchGone(this))
        return
      case 'not-a-lock':
        this.fail(notALock(this.address, reply))
    }
  }

  #pass(generation: number): void {
    this.succeed(() => ({ kind: 'passed', generation }))
  }
}

const maxBatch = 500

interface Opening {
  readonly address: Address
  readonly awaited: Awaited | undefined
  readonly waiters: Waiter[]
}

/** Has the store go on notifying this client: once for each opening, however many wait for it here. */
async function refreshLatches(
  store: StoreClient,
  latches: LatchSession,
  waiting: readonly Waiter[],
): Promise<void> {
  const batches = [...splitIntoBatches(openingsOf(waiting), ({ address }) => address.group, maxBatch)]
  await Promise.all(batches.map((batch) => refreshBatch(store, latches, batch)))
}

async function refreshBatch(
  { settings, waiters: table }: StoreClient,
  latches: LatchSession,
  batch: readonly Opening[],
): Promise<void> {
  const { watchdogTimeoutMs: aliveMs, commandTimeoutMs: timeoutMs } = settings
  const waits = batch.map(({ address, awaited }) => ({ address, awaited, aliveMs }))
  const replies = await latches.wait(waits, timeoutMs)
  batch.forEach(({ address, waiters }, i) => {
    const reply = replies[i]
    if (reply?.kind === 'closed') {
      table.noteTtl(address, Infinity)
      return
    }
    if (reply?.kind === 'passed') table.opened(address.id, reply.generation)
    // Those that are still waiting learn by themselves why.
    for (const waiter of waiters) waiter.wake()
  })
}

function openingsOf(waiting: readonly Waiter[]): Opening[] {
  const openings = new Map<string, Opening>()
  for (const waiter of waiting) {
    const { address, awaited } = waiter
    const key = `${String(awaited?.generation)} ${String(awaited?.isBound)} ${address.id}`
    const opening = openings.get(key) ?? { address, awaited, waiters: [] }
    opening.waiters.push(waiter)
    openings.set(key, opening)
  }
  return [...openings.values()]
}
