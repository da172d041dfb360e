import { inspect } from 'node:util'
import type { NotALockReply } from '../engine/requests.js'

const brand = Symbol.for('holdfast.error')

/** The possible values of `code`: one per class. */
export type HoldfastErrorCode =
  | 'HOLDFAST'
  | 'LOCK_TIMEOUT'
  | 'LOCK_LOST'
  | 'NOT_OWNER'
  | 'NOT_A_LOCK'
  | 'UPGRADE'
  | 'LATCH_GONE'
  | 'UNAVAILABLE'
  | 'REFUSED'
  | 'REPLICATION'
  | 'TOO_MANY_WAITERS'
  | 'CLOSED'
  | 'INVALID_ARGUMENT'

/** What an error carries besides its message. */
export interface HoldfastErrorDetails {
  /** The name of the lock or other object that it is about. */
  readonly lockName?: string | undefined
  /** The owner it is about. */
  readonly owner?: string | undefined
  /** The error or value that caused it. */
  readonly cause?: unknown
}

/** Names a class and its errors by a literal: a minifier renames the class itself. */
export function nameErrors(kind: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(kind, 'name', { value: name, configurable: true })
  Object.defineProperty(kind.prototype, 'name', { value: name, configurable: true, writable: true })
}

/**
 * The base class of all Holdfast errors.
 *
 * `instanceof` compares the `code` as well as the prototype, so that an error made by the CommonJS copy of this
 * package is recognized by the ES module copy, and vice versa. After `isHoldfastError` a `switch` on
 * `code` narrows the error to its class.
 */
export class HoldfastError extends Error {
  /** The `code` of all errors of this class; `HOLDFAST` stands for any of them. */
  static readonly code: HoldfastErrorCode = 'HOLDFAST'
  /** Stable, and suitable for a `switch`. */
  readonly code: HoldfastErrorCode = HoldfastError.code
  // Absent without a value, here and in derived classes, so that logs show only what is known.
  /** The name of the lock or other object, as given to `getLock`, `getSemaphore` and so on. */
  declare readonly lockName: string | undefined
  /** The owner that the error is about, `<clientId>:<n>`. */
  declare readonly owner: string | undefined

  static {
    nameErrors(this, 'HoldfastError')
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  constructor(message: string, details: HoldfastErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    if (details.lockName !== undefined) this.lockName = details.lockName
    if (details.owner !== undefined) this.owner = details.owner
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true
    // A class that an application derives from one of these is matched by prototype alone.
    if (!Object.hasOwn(this, 'code')) return false
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    return this.code === HoldfastError.code || ('code' in value && value.code === this.code)
  }

  /** For logs, with the cause as text. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, cause } = this
    const text = cause instanceof Error ? String(cause) : inspect(cause)
    return {
      name,
      code,
      message,
      ...Object.fromEntries(Object.entries(this)),
      ...(cause !== undefined && { cause: text }),
    }
  }
}

/**
 * Another owner kept the lock or the permits for all of `waitMs`, or the latch did not open in that time. Also if a short `waitMs` did not
 * wait for the store's reply, or ended before a multi lock had requested all its members: then without `holder`.
 *
 * @remarks Retry later, or report "busy".
 */
export class LockTimeoutError extends HoldfastError {
  /** `LOCK_TIMEOUT` */
  static override readonly code = 'LOCK_TIMEOUT'
  /** `LOCK_TIMEOUT` */
  override readonly code = LockTimeoutError.code

  static {
    nameErrors(this, 'LockTimeoutError')
  }

  /**
   * The owner that held it, as far as the store had said by the end of the wait; of several, the one whose hold ends first.
   * `undefined` for a latch.
   */
  declare readonly holder: string | undefined
  /** The position in the queue, known as `holder` is: 1 for the next in line. `undefined` when not queued, and for a latch. */
  declare readonly position: number | undefined
  /** How old `holder` and `position` were when the wait ended, milliseconds; `undefined` if that is not known. */
  declare readonly stateAgeMs: number | undefined
  /** How long the caller waited, milliseconds. */
  readonly waitedMs: number

  constructor(
    message: string,
    details: HoldfastErrorDetails & {
      holder: string | undefined
      position: number | undefined
      stateAgeMs?: number | undefined
      waitedMs: number
    },
  ) {
    super(message, details)
    if (details.holder !== undefined) this.holder = details.holder
    if (details.position !== undefined) this.position = details.position
    if (details.stateAgeMs !== undefined) this.stateAgeMs = details.stateAgeMs
    this.waitedMs = details.waitedMs
  }
}

/**
 * Why a hold counts as lost.
 *
 * - `expired`: its deadline passed without a confirmed renewal, or the session of its client at the store ended (the message says so);
 *   `cause` is what the latest renewal failed with, if one failed
 * - `ended`: its fixed lease (`leaseMs`) or its limit (`maxHoldMs`) ran to its end, as the options of the call say
 * - `not-held`: the store says that the owner does not hold the lock (expired there, deleted, failed over)
 * - `revoked`: `forceUnlock` or `forceRelease` evicted the holder
 * - `closed`: `close()` ended it
 * - `member-lost`: another lock of the same multi lock, or the old lock of a `bridge`, was lost; `cause` says why
 * - `minority`: of a quorum lock, fewer than a majority of the masters still confirm the hold
 * - `suspended`: only from `assertHeld()`. The machine was suspended after the store last confirmed the hold. It is in
 *   doubt until a renewal, already requested, is answered; until then no signal aborts
 */
export type LossReason =
  'expired' | 'ended' | 'not-held' | 'revoked' | 'closed' | 'member-lost' | 'minority' | 'suspended'

/**
 * A hold ended, or may have ended, without its holder releasing it. Another client may have acquired the lock since.
 *
 * @remarks Stop, and check what was written.
 */
export class LockLostError extends HoldfastError {
  /** `LOCK_LOST` */
  static override readonly code = 'LOCK_LOST'
  /** `LOCK_LOST` */
  override readonly code = LockLostError.code

  static {
    nameErrors(this, 'LockLostError')
  }

  /** Why it counts as lost. */
  readonly reason: LossReason
  /** Who evicted the holder, if the call of `forceUnlock` or `forceRelease` said so. */
  declare readonly by: string | undefined
  /** What the callback of `withLock` returned, if it completed despite the loss. */
  declare readonly result: unknown
  /** The loss itself, which the signal had as its reason, if `cause` is what the callback failed with after it. */
  declare readonly loss: LockLostError | undefined

  constructor(
    message: string,
    details: HoldfastErrorDetails & {
      reason: LossReason
      by?: string | undefined
      result?: unknown
      loss?: LockLostError | undefined
    },
  ) {
    super(message, details)
    this.reason = details.reason
    if (details.by !== undefined) this.by = details.by
    if (details.result !== undefined) this.result = details.result
    // Logs have all of it but its stack here already.
    if (details.loss) Object.defineProperty(this, 'loss', { value: details.loss })
  }

  /** Without `result`, which belongs to the caller. */
  override toJSON(): Record<string, unknown> {
    const { result: _result, ...facts } = super.toJSON()
    return facts
  }
}

/**
 * `unlock()` without a hold in this scope, a `lock()` that its scope did not await, or use of a lease that has been released.
 *
 * @remarks A bug in the calling code.
 */
export class NotOwnerError extends HoldfastError {
  /** `NOT_OWNER` */
  static override readonly code = 'NOT_OWNER'
  /** `NOT_OWNER` */
  override readonly code = NotOwnerError.code

  static {
    nameErrors(this, 'NotOwnerError')
  }
}

/**
 * The key that belongs to this name holds something else: another type, or a hash without a time to live. Nothing was changed.
 *
 * @remarks Use another name or `prefix`, or remove the key.
 */
export class NotALockError extends HoldfastError {
  /** `NOT_A_LOCK` */
  static override readonly code = 'NOT_A_LOCK'
  /** `NOT_A_LOCK` */
  override readonly code = NotALockError.code

  static {
    nameErrors(this, 'NotALockError')
  }
}

/**
 * A write lock was requested inside a read lock of the same caller. Two readers that both waited to write would wait for
 * each other, so this is rejected at once, by `tryLock` too, and nothing is sent.
 *
 * @remarks Release the read lock first, or take the write lock from the start.
 */
export class UpgradeError extends HoldfastError {
  /** `UPGRADE` */
  static override readonly code = 'UPGRADE'
  /** `UPGRADE` */
  override readonly code = UpgradeError.code

  static {
    nameErrors(this, 'UpgradeError')
  }
}

/**
 * No count of the latch is set any more: it was deleted, it expired, or the store lost it. A wait that ends like this did
 * not see the latch open. `countDown` also rejects with this if no count was set yet; then it counted nothing.
 *
 * @remarks Set the count and count down again, or give up.
 */
export class LatchGoneError extends HoldfastError {
  /** `LATCH_GONE` */
  static override readonly code = 'LATCH_GONE'
  /** `LATCH_GONE` */
  override readonly code = LatchGoneError.code

  static {
    nameErrors(this, 'LatchGoneError')
  }
}

/** What an error about the store carries in addition. */
export interface EngineErrorDetails extends HoldfastErrorDetails {
  /** The engine that the error is about, such as `redis`. */
  readonly engine?: string | undefined
}

/**
 * The store is out of reach: it did not reply in time. The command may still have been carried out; Holdfast cleans up after it.
 *
 * @remarks Retry later. An unlimited wait never rejects with this error; `tryLock` without `waitMs` may.
 */
export class UnavailableError extends HoldfastError {
  /** `UNAVAILABLE` */
  static override readonly code = 'UNAVAILABLE'
  /** `UNAVAILABLE` */
  override readonly code = UnavailableError.code

  static {
    nameErrors(this, 'UnavailableError')
  }

  /** The engine whose store did not reply, such as `redis`. */
  declare readonly engine: string | undefined

  constructor(message: string, details: EngineErrorDetails = {}) {
    super(message, details)
    if (details.engine !== undefined) this.engine = details.engine
  }
}

/**
 * The store rejected a command, and repeating it makes no sense: missing permissions, a wrong password, a read-only
 * replica, a server that is too old.
 *
 * @remarks Fix the configuration or the permissions.
 */
export class RefusedError extends HoldfastError {
  /** `REFUSED` */
  static override readonly code = 'REFUSED'
  /** `REFUSED` */
  override readonly code = RefusedError.code

  static {
    nameErrors(this, 'RefusedError')
  }

  /** The engine whose store rejected it, such as `redis`. */
  declare readonly engine: string | undefined

  constructor(message: string, details: EngineErrorDetails = {}) {
    super(message, details)
    if (details.engine !== undefined) this.engine = details.engine
  }
}

/**
 * The lock was granted, but too few replicas acknowledged it in time (`minReplicas`). It was released again.
 *
 * @remarks Check the replicas, or retry later.
 */
export class ReplicationError extends HoldfastError {
  /** `REPLICATION` */
  static override readonly code = 'REPLICATION'
  /** `REPLICATION` */
  override readonly code = ReplicationError.code

  static {
    nameErrors(this, 'ReplicationError')
  }

  /** How many replicas should have acknowledged it: `minReplicas`. */
  readonly wanted: number
  /** How many did, as far as Redis has replied; `undefined` when `waitMs` ended before it had. */
  declare readonly acknowledged: number | undefined

  constructor(
    message: string,
    details: HoldfastErrorDetails & { wanted: number; acknowledged: number | undefined },
  ) {
    super(message, details)
    this.wanted = details.wanted
    if (details.acknowledged !== undefined) this.acknowledged = details.acknowledged
  }
}

/**
 * This client already has `maxWaiters` waiters.
 *
 * @remarks Shed load.
 */
export class TooManyWaitersError extends HoldfastError {
  /** `TOO_MANY_WAITERS` */
  static override readonly code = 'TOO_MANY_WAITERS'
  /** `TOO_MANY_WAITERS` */
  override readonly code = TooManyWaitersError.code

  static {
    nameErrors(this, 'TooManyWaitersError')
  }
}

/**
 * The client was closed, or is closing.
 *
 * @remarks The process is shutting down: stop. Until the drain ends, calls inside a hold or scope are still served.
 */
export class ClosedError extends HoldfastError {
  /** `CLOSED` */
  static override readonly code = 'CLOSED'
  /** `CLOSED` */
  override readonly code = ClosedError.code

  static {
    nameErrors(this, 'ClosedError')
  }
}

/**
 * An argument was rejected before anything was sent.
 *
 * @remarks A mistake in the calling code: the message names the option, the value and the bound.
 */
export class InvalidArgumentError extends HoldfastError {
  /** `INVALID_ARGUMENT` */
  static override readonly code = 'INVALID_ARGUMENT'
  /** `INVALID_ARGUMENT` */
  override readonly code = InvalidArgumentError.code

  static {
    nameErrors(this, 'InvalidArgumentError')
  }
}

/** Any Holdfast error: its `code` says which class it is. */
export type AnyHoldfastError =
  | ClosedError
  | InvalidArgumentError
  | LatchGoneError
  | LockLostError
  | LockTimeoutError
  | NotALockError
  | NotOwnerError
  | RefusedError
  | ReplicationError
  | TooManyWaitersError
  | UnavailableError
  | UpgradeError
  | (HoldfastError & { readonly code: 'HOLDFAST' })

/** Whether this is a Holdfast error. If so, a `switch` on its `code` narrows it to its class. */
export const isHoldfastError = (value: unknown): value is AnyHoldfastError => value instanceof HoldfastError

/** What an error is about; `title` names it in the message, such as `semaphore api`. */
export type ErrorSubject = HoldfastErrorDetails & { readonly title?: string | undefined }

/** The error for a name under which the store holds something else. */
export const notALock = ({ name }: { readonly name: string }, { reason }: NotALockReply): NotALockError =>
  new NotALockError(`the name ${name} is already in use: ${reason}`, { lockName: name })

const ofPrograms = [TypeError, RangeError, ReferenceError, SyntaxError]

/** A mistake in a program, which would only be repeated. Errors of connections have a `code`, or a `cause` that has one. */
const isMistake = (error: unknown): boolean =>
  ofPrograms.some((type) => error instanceof type && !('code' in error) && error.cause === undefined)

/**
 * Turns any error into one of ours, with the lock and owner that it is about: a copy for this call alone, since several
 * calls may have waited for what failed. Any other error leaves the outcome unknown, and so counts as no reply; but a
 * mistake in a program is a plain `HoldfastError`, which is not tried again.
 */
export function toHoldfastError(error: unknown, subject: ErrorSubject = {}): HoldfastError {
  const { title, ...details } = subject
  const { lockName } = details
  const about = (text: string): string =>
    lockName === undefined ? text : `${title ?? `lock ${lockName}`}: ${text}`
  if (!(error instanceof HoldfastError)) {
    const text = error instanceof Error ? error.message : String(error)
    const more = { ...details, cause: error }
    return isMistake(error) ? new HoldfastError(about(text), more) : new UnavailableError(about(text), more)
  }
  if (error.lockName !== undefined || lockName === undefined) return error
  const { cause, message } = error
  if (error instanceof ClosedError) return new ClosedError(message, { ...details, cause })
  if (error.constructor === HoldfastError) return new HoldfastError(about(message), { ...details, cause })
  if (!(error instanceof RefusedError || error instanceof UnavailableError)) return error
  const more = { ...details, cause, engine: error.engine }
  const text = about(message)
  return error instanceof RefusedError ? new RefusedError(text, more) : new UnavailableError(text, more)
}
