import { titleFrom } from '../engine/requests.js'
import { InvalidArgumentError, LockLostError, LockTimeoutError } from '../errors/errors.js'
import { toHoldfastError } from '../errors/store-errors.js'
import { isOptions, refuseSecond, requireFunction } from '../options/checks.js'
import type { AcquireOptions, Request } from '../options/options.js'
import { rethrowToCaller, withCallerStack } from '../ownership/call-site.js'
import type { NotAcquired } from '../waiting/outcome.js'

/** A lease, as far as the outcome of a callback depends on it. */
interface Losable {
  /** Why its hold was lost. */
  readonly loss: LockLostError | undefined
}

/** A callback that has its lease. */
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
  /** Of the call. */
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

/** Runs a callback in the hold of a lease that stays. */
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
  // What is no set of options was meant to be the function.
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
