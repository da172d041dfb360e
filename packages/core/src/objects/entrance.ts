import type { LockSteps } from '../engine/lock-steps.js'
import {
  isShared,
  titleFrom,
  titleOf,
  type Address,
  type Addressing,
  type ObjectType,
  type Target,
} from '../engine/requests.js'
import type { FencedClient, FencingLease, Registry } from '../engine/session.js'
import {
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  toHoldfastError,
  UnavailableError,
} from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Hold } from '../holding/hold.js'
import { upgradeRefused } from '../holding/loss.js'
import { isOptions, refuseSecond, requireFunction } from '../options/checks.js'
import type { AcquireOptions, Request, Settings } from '../options/options.js'
import {
  callSite,
  framesOf,
  rethrowToCaller,
  withCallerStack,
  type CallSite,
  type Body,
} from '../ownership/turns.js'
import type { Closing } from '../ownership/closing.js'
import type { Frames, Scope } from '../ownership/frames.js'
import type { HoldTable } from '../ownership/owners.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import type { StoreClient } from '../store-client.js'
import { isTimeUp, monotonicMs } from '../time/time.js'
import type { Background } from '../util/lists.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { notReached, notReplied, type NotAcquired } from '../waiting/outcome.js'
import type { Ready, StoreSilence } from '../waiting/readiness.js'

export interface Entered extends AnyAcquired {
  /** Of a callback that entered a hold around it: it has its turn. */
  readonly body?: Body
}

export type Outcome = Entered | NotAcquired

// Each call either re-enters the hold of the running async context or acquires the lock afresh.

/** Inside a scope, waits for earlier calls on this lock there, and keeps the lease for the scope's `unlock()`. */
export function acquireInScope(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  const scope = home.frames.nearestScope()
  return scope
    ? acquireInTurn(home, scope, target, request, wantsToken)
    : acquire(home, target, request, wantsToken, false)
}

/** For a callback. Inside a hold of this lock, waits until no other callback there is in its way. */
export function acquireForBody(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  return acquire(home, target, request, wantsToken, true)
}

function acquire(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
  isForBody: boolean,
): Promise<Outcome> {
  const hold = home.frames.enclosingHold(target.address)
  if (!hold) return acquireAfresh(home, target, request, wantsToken)
  return request.reentrant === false
    ? acquireAfresh(home, target, { ...request, inside: hold }, wantsToken)
    : acquireInside(home, hold, target, request, wantsToken, isForBody)
}

async function acquireInTurn(
  home: Home,
  scope: Scope,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<Outcome> {
  const startedAt = monotonicMs()
  // One that must not re-enter may wait for what the scope holds: the scope's `unlock()` must not wait behind it.
  const slot = request.reentrant === false ? undefined : scope.nextSlot(target.address)
  try {
    const limitMs = limitOf(request, home.settings)
    if (slot?.ready && (await withTimeout(slot.ready, limitMs, request.signal)) === timedOut) {
      return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
    }
    const outcome = await acquire(home, target, withWaitLeft(request, startedAt), wantsToken, false)
    if ('entry' in outcome) scope.keep(outcome.hold, outcome.entry)
    return outcome
  } finally {
    slot?.done()
  }
}

/** Inside a hold that may be released before this call's turn comes. */
async function acquireInside(
  home: Home,
  first: Possession,
  target: Target,
  request: Request,
  wantsToken: boolean,
  isForBody: boolean,
): Promise<Outcome> {
  const startedAt = monotonicMs()
  const call = isForBody ? callSite(oursInside) : undefined
  let hold: Possession | undefined = first
  while (hold) {
    const body = call && joinTurns(home.frames, hold, target, call)
    let entry: LeaseEntry | NotAcquired | null = null
    try {
      const late = body && (await untilTurn(body, hold, target, request, startedAt))
      if (late) return late
      entry = await reenter(home, hold, target, withWaitLeft(request, startedAt), wantsToken)
    } finally {
      if (!entry || 'waitedMs' in entry) body?.end()
    }
    if (entry && 'waitedMs' in entry) return entry
    if (entry) return body ? { hold, entry, body } : { hold, entry }
    hold = home.frames.enclosingHold(target.address)
  }
  return acquireAfresh(home, target, withWaitLeft(request, startedAt), wantsToken, startedAt)
}

function acquireAfresh(
  home: Home,
  target: Target,
  request: Request,
  wantsToken: boolean,
  wantedSince?: number,
): Promise<Outcome> {
  home.closing.assertOpen(target.address.name)
  return home.acquire(target, request, wantsToken, wantedSince)
}

/** `acquireInside`, `acquire`, `acquireForBody`, `#acquireForBody` of the lock, what `useLease` begins with, `useLease` and `withLock`. */
const oursInside = 7

/** The turn of a call among those of its scope did not come in time. */
export const notReachedTurn = (target: Target, waitedMs: number): NotAcquired => ({
  ...notReplied(target, undefined, waitedMs),
  isBehindScope: true,
})

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }

/** Joins the bodies of a hold. Throws `UpgradeError` if two readers would wait for each other to write. */
export function joinTurns(
  frames: Frames,
  hold: Possession,
  target: Target,
  call: CallSite | undefined,
): Body {
  const body = frames.joinHold(hold, isShared(target), call)
  if (!body) throw upgradeRefused(target, hold.owner)
  return body
}

/**
 * Waits for the turn of a body, on time; a single attempt does not wait. A hold that is lost or released keeps no one waiting.
 *
 * @param startedAt - when the caller began to wait
 * @returns why its turn did not come
 */
export async function untilTurn(
  body: Body,
  hold: Possession,
  target: Target,
  { waitMs, signal }: Request,
  startedAt: number,
): Promise<NotAcquired | undefined> {
  const { ready } = body
  if (!ready || hold.loss) return undefined
  signal?.throwIfAborted()
  const leftMs = Math.max(0, Math.ceil(startedAt + waitMs - monotonicMs()))
  const isLate = leftMs === 0 || (await withTimeout(ready, leftMs, signal)) === timedOut
  if (!isLate || body.hasBegun) return undefined
  const { owner } = hold
  const [sibling = ''] = framesOf(body.blocker?.call)
  const waitedMs = Math.round(monotonicMs() - startedAt)
  return { ...notReplied(target, owner, waitedMs), holder: owner, sibling }
}

/** The callback has ended. Warns if one that entered its hold still runs. To be called by what `useLease` calls to leave. */
export function endBody(body: Body, hold: Possession, target: Target, events: Events): void {
  const running = body.runningInside
  body.end()
  if (!running) return
  const message =
    `${titleOf(target)} (owner ${hold.owner}): the callback that holds it ended while another one that entered its hold still runs. ` +
    'If that is a job of another caller, a queue, pool or batcher started it in the context of this one, and both ran at the same ' +
    'time: give it to the queue as holdfast.bind(job), or take the lock with reentrant: false. If it is not, await it'
  const ended = body.call ?? callSite(oursAtEnd)
  events.warn(
    'BODY_ENDED_FIRST',
    message,
    () =>
      `The callback that ended was called\n${textOf(ended)}\nThe one that still runs was called\n${textOf(running.call)}`,
  )
}

/** `endBody`, what calls it and `useLease`. */
const oursAtEnd = 3

const textOf = (call: CallSite | undefined): string =>
  framesOf(call)
    .map((frame) => `    ${frame}`)
    .join('\n') || '    (no stack)'

/**
 * Enters a hold once more, on time even behind a slow command of the same hold; an entry that comes too late is left again.
 * `null` when the hold was released before this call's turn came, `NotAcquired` when the call did not wait for the reply.
 */
export async function reenter(
  home: Home,
  hold: Possession,
  target: Target,
  request: Request,
  wantsToken: boolean,
): Promise<LeaseEntry | NotAcquired | null> {
  const startedAt = monotonicMs()
  const entering = hold.enter(target, request, wantsToken)
  const { settings, silence, background } = home
  const limitMs = limitOf(request, settings)
  try {
    const entry = await withTimeout(entering, limitMs, request.signal)
    if (entry !== timedOut) return entry
    throw notReached({ target, owner: hold.owner }, home, limitMs, silence.errorSince(startedAt))
  } catch (error) {
    background.run(leaveLate(entering))
    const isLate = error instanceof UnavailableError && isTimeUp(startedAt + limitMs)
    if (!isLate || request.waitMs === 0 || silence.isOutage(startedAt)) throw error
    return notReplied(target, hold.owner, Math.round(monotonicMs() - startedAt))
  }
}

/** How long a call may take in all: a single attempt one command's time. */
export const limitOf = ({ waitMs }: Request, { commandTimeoutMs }: Settings): number =>
  waitMs === 0 ? commandTimeoutMs : waitMs

/** The caller has its error already, so no caller is left to receive a failure. */
async function leaveLate(entering: Promise<LeaseEntry | null>): Promise<void> {
  try {
    await (await entering)?.unlock()
  } catch {
    // The hold is lost or the entry failed: nothing was entered.
  }
}

interface Losable {
  readonly loss: LockLostError | undefined
}

export interface Use<T> {
  readonly lease: Losable
  readonly run: () => T | PromiseLike<T>
  readonly leave: () => Promise<void>
  /** Gets what leaving failed with when the caller gets the callback's own outcome. */
  readonly report: (error: unknown) => void
}

/** An acquisition for a callback, and how the callback goes on from its outcome. */
export interface Acquiring<O, T> {
  readonly acquired: Promise<O>
  readonly signal: AbortSignal | undefined
  readonly use: (outcome: O) => Use<T> | NotAcquired
}

/** What a call for a callback resolves with, once the callback ran or where others kept the object. */
export interface Result<T, R> {
  readonly ran: (value: T) => R
  readonly notAcquired: (outcome: NotAcquired) => R
}

/** What `tryWithLock` resolves with. */
export type TryWithLockResult<T> =
  | {
      /** The function ran under the lock. */
      readonly ran: true
      /** What it returned. */
      readonly value: T
    }
  | {
      /** Another owner kept the lock for all of `waitMs`, so the function was not called. */
      readonly ran: false
      /** That owner, `<clientId>:<n>`, as far as the store had said; for logs. */
      readonly holder: string | undefined
    }

/** Of `withLock` and the like. */
export const valueOrTimeout = {
  ran: <T>(value: T): T => value,
  notAcquired: (outcome: NotAcquired): never => {
    throw timedOutWaiting(outcome)
  },
}

/** Of `tryWithLock`. */
export const ranOrNot = {
  ran: <T>(value: T): TryWithLockResult<T> => ({ ran: true, value }),
  notAcquired: ({ holder }: NotAcquired): TryWithLockResult<never> => ({
    ran: false,
    holder: holder || undefined,
  }),
}

/**
 * Acquires, runs a callback that has the lease, and leaves the lease afterwards. Its callers are not async themselves: an async function more
 * costs each call two promises.
 *
 * @throws what `begin` and the acquisition throw; what the callback throws, as `failureOf`; `LockLostError` with the callback's result when
 * the hold was lost by then
 */
export async function useLease<O, T, R>(
  begin: () => Acquiring<O, T>,
  { ran, notAcquired }: Result<T, R>,
): Promise<R> {
  const { acquired, signal, use } = begin()
  let outcome: O
  try {
    outcome = await acquired
  } catch (error) {
    throw withCallerStack(error, signal)
  }
  const used = use(outcome)
  if ('waitedMs' in used) return notAcquired(used)
  const { lease, run, leave, report } = used
  let result: T
  try {
    result = await run()
  } catch (thrown) {
    const error = failureOf(thrown, lease)
    await leave().catch((left: unknown) => {
      if (!(left instanceof LockLostError)) report(left)
    })
    throw error
  }
  try {
    await leave()
  } catch (error) {
    if (error instanceof LockLostError) throw lostWithResult(error, result)
    report(error)
  }
  return ran(result)
}

/**
 * What the caller gets when a callback failed. Once the hold is lost that is the loss, however the callback failed on the signal, with the
 * callback's error as its cause; a failure before that is the callback's own.
 */
function failureOf(error: unknown, { loss }: Losable): unknown {
  const isLoss = error instanceof LockLostError && error.owner === loss?.owner
  return loss === undefined || isLoss ? error : lostWithFailure(loss, error)
}

export async function runHeld<T>(lease: Losable, run: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw failureOf(error, lease)
  }
}

const runsNothing =
  'lock and tryLock take options only; to run a function, use withLock(fn) or withLock(options, fn)'

/**
 * Carries out a `lock()` or `tryLock()`: refuses anything but options, and gives errors the stack of the caller. Not async on
 * purpose: there may be very many waits, and each async frame costs memory.
 */
export function acquireByOptions<O, T>(
  options: AcquireOptions | undefined,
  second: unknown,
  resolve: () => Request,
  acquire: (request: Request) => Promise<O>,
  toResult: (outcome: O) => T,
): Promise<T> {
  try {
    if (typeof options === 'function') throw new InvalidArgumentError(runsNothing)
    refuseSecond(second, runsNothing)
    const request = resolve()
    return acquire(request).then(toResult, rethrowToCaller(request.signal))
  } catch (error) {
    return Promise.reject(toHoldfastError(error))
  }
}

/** The arguments of a method that takes options, which may be left out, and a function to run. */
export function splitArguments<O, F extends (...args: never[]) => unknown>(
  method: string,
  lockName: string | undefined,
  first: O | undefined | F,
  second: F | undefined,
): { readonly options: O | undefined; readonly fn: F } {
  const isFirst = (given: O | undefined | F): given is F => typeof given === 'function'
  if (isFirst(first)) {
    if (second === undefined) {
      requireFunction(method, first)
      return { options: undefined, fn: first }
    }
    throw new InvalidArgumentError(
      `${method} takes its options before the function: ${method}(options, fn)`,
      {
        lockName,
      },
    )
  }
  // Anything but options was meant to be the function.
  if (second === undefined && !isOptions(first)) requireFunction(method, first)
  requireFunction(method, second)
  return { options: first, fn: second }
}

/** Waits for a callback's turn; throws `LockTimeoutError` when it did not come in time, and the signal's reason. */
export async function untilTurnOrTimeout(
  turn: Promise<NotAcquired | undefined>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let late: NotAcquired | undefined
  try {
    late = await turn
  } catch (error) {
    throw withCallerStack(error, signal)
  }
  if (late) throw timedOutWaiting(late)
}

/** The error for a wait that ended because another owner kept the lock. */
export function timedOutWaiting(outcome: NotAcquired): LockTimeoutError {
  const { name, objectKind, owner, holder, position, stateAgeMs, waitedMs } = outcome
  if (objectKind === 'latch') {
    const unset = outcome.isUnset ? ` (no count is set${ageText(stateAgeMs)}: call trySetCount)` : ''
    const state = holder === undefined ? ' (no reply in time)' : unset
    const closed = `timed out after ${waitedMs} ms waiting for latch ${name} to open${state}`
    const unqueued = { holder: undefined, position: undefined }
    return new LockTimeoutError(closed, { lockName: name, owner, ...unqueued, waitedMs })
  }
  const text = `timed out after ${waitedMs} ms waiting for ${titleFrom(objectKind, name)} (${stateText(outcome)})`
  const known = { holder: holder || undefined, position: position || undefined, stateAgeMs }
  return new LockTimeoutError(text + adviceFor(outcome), { lockName: name, owner, ...known, waitedMs })
}

/** Of ordinary contention the whole message has at most 25 words, and suspects no mistake: mostly there is none. */
function adviceFor({ sibling, isBehindItself }: NotAcquired): string {
  if (sibling !== undefined) return siblingText(sibling)
  return isBehindItself ? selfText : '; retry or raise waitMs'
}

/** It was in the hold already, behind a callback there. */
const siblingText = (sibling: string): string =>
  `. That is the hold around the caller, in which another callback runs${sibling && `, called ${sibling}`}: callbacks in one ` +
  'hold take turns. If the other one waits for this one, call this one inside it. If this one belongs to another caller, a queue, ' +
  'pool or batcher started it in the wrong context: use holdfast.bind, holdfast.detached or reentrant: false'

const selfText =
  '. That is a hold around the caller, which waits for itself (a self-deadlock): with reentrant: false a call never re-enters. ' +
  'If it belongs to that hold, leave the option out; if not, start it with holdfast.bind or holdfast.detached'

/** Who is in the way, for how long, and the position in the queue, or else how old that is. */
function stateText(outcome: NotAcquired): string {
  const { position, stateAgeMs } = outcome
  const age = ageText(stateAgeMs)
  const queue = position > 0 ? `, queue position ${position}` : ''
  return holderText(outcome) + (age || queue)
}

function holderText({ holder, objectKind, stateAgeMs, heldMs, isBehindScope }: NotAcquired): string {
  if (isBehindScope) return 'held by another task in this scope'
  if (holder === undefined) return 'no reply in time'
  if (holder === '')
    return objectKind === 'semaphore' ? 'behind earlier waiters or a resize' : 'set aside for the next waiter'
  const isKnown = heldMs !== undefined && heldMs > 0 && ageText(stateAgeMs) === ''
  return `held by ${holder}${isKnown ? ` for at least ${heldMs} ms` : ''}`
}

/** Where the state was read shortly before the end, its age says nothing. */
const ageText = (stateAgeMs: number | undefined): string =>
  stateAgeMs !== undefined && stateAgeMs >= 500 ? `, as of ${stateAgeMs} ms earlier` : ''

/** The loss of a hold whose callback completed despite it. */
const lostWithResult = (error: LockLostError, result: unknown): LockLostError =>
  new LockLostError(error.message, {
    lockName: error.lockName,
    owner: error.owner,
    reason: error.reason,
    by: error.by,
    cause: error.cause,
    result,
  })

/** The loss of a hold whose callback failed after it. */
const lostWithFailure = (loss: LockLostError, cause: unknown): LockLostError => {
  const { message, lockName, owner, reason, by } = loss
  return new LockLostError(message, { lockName, owner, reason, by, cause, loss })
}

export interface AnyAcquired {
  readonly hold: Possession
  readonly entry: LeaseEntry
}

/** Where a lock is, as its handles see it: one store, or a quorum of masters. */
export interface Home {
  readonly clientId: string
  readonly settings: Settings
  /** As messages name it. */
  readonly storeName: string
  readonly frames: Frames
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
  readonly silence: StoreSilence
  readonly readiness: Ready
  readonly names: Addressing
  readonly steps: Pick<LockSteps, 'force' | 'inspect'>
  readonly registry: Pick<Registry, 'find'>
  readonly holds: {
    readonly size: number
    readonly counts: HoldTable<Hold>['counts']
    find(
      owner: string,
    ): { isReleased: boolean; lose(reason: 'revoked' | 'member-lost', cause?: Error): void } | undefined
  }
  /** How many acquisitions wait for a held lock now. */
  readonly waiting: number
  readonly operations: HomeOperations | undefined
  /** What to do for a token, if leases can have some but not each has one. */
  readonly tokenAdvice: ((object: ObjectType) => string) | undefined
  /** Of the engine, if it has it. */
  readonly fence:
    ((client: FencedClient, lease: FencingLease, timeoutMs: number) => Promise<void>) | undefined
  /** For locks that are acquired together; a quorum lock cannot be one of them. */
  readonly asStore: StoreClient | undefined
  /** Ends the client, after a drain. */
  closeAll(drainMs: number): Promise<void>
  /** Under an owner of its own. @param wantedSince - when the caller wanted it, if it had to wait for its turn in this process first */
  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<AnyAcquired | NotAcquired>
}

export interface OwnerReport {
  /** For how long it has held the object or waited for it. */
  readonly ageMs: number
  /** Of its hold; 0: none. */
  readonly fencingToken: number
}

/** What the client of an owner says of it, if it does. */
export type OwnerReports = (owner: string) => OwnerReport | undefined

/** What the clients of other owners report, and are notified of. */
export interface HomeOperations {
  reportsOf(address: Address, owners: readonly string[]): Promise<OwnerReports>
  announce(address: Address, owner: string, by: string): Promise<void>
}
