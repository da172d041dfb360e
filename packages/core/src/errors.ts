const brand = Symbol.for('holdfast.error')

/** What an error carries besides its message. */
export interface HoldfastErrorDetails {
  /** The name of the lock it is about. */
  readonly lockName?: string | undefined
  /** The owner it is about. */
  readonly owner?: string | undefined
  /** What it was made from. */
  readonly cause?: unknown
}

/**
 * The base of all errors of Holdfast.
 *
 * `instanceof` answers by `code` rather than by prototype, so that an error made by the CommonJS copy of this
 * package is recognised by the ES module copy and the other way round.
 */
export class HoldfastError extends Error {
  /** The `code` of all errors of this class; `HOLDFAST` stands for any of them. */
  static readonly code: string = 'HOLDFAST'
  /** Stable and fit for a `switch`. */
  readonly code: string
  /** The name of the lock, as given to `getLock`. */
  readonly lockName: string | undefined
  /** The owner that the error is about, `<clientId>:<n>`. */
  readonly owner: string | undefined
  /** @internal What `instanceof` goes by. */
  readonly [brand] = true

  constructor(message: string, details: HoldfastErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = new.target.name
    this.code = new.target.code
    this.lockName = details.lockName
    this.owner = details.owner
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class that an application derives from one of these goes by prototype.
    if (!Object.hasOwn(this, 'code')) return super[Symbol.hasInstance](value)
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    return this.code === HoldfastError.code || ('code' in value && value.code === this.code)
  }
}

/** Another owner kept the lock for all of `waitMs`. */
export class LockTimeoutError extends HoldfastError {
  /** `LOCK_TIMEOUT` */
  static override readonly code = 'LOCK_TIMEOUT'
  /** The owner that held the lock by the last reply. */
  readonly holder: string | undefined
  /** The position in the queue by the last reply, 1 for the next in line; 0 when not queued. */
  readonly position: number
  /** How long the caller waited, milliseconds. */
  readonly waitedMs: number

  constructor(
    message: string,
    details: HoldfastErrorDetails & { holder: string | undefined; position: number; waitedMs: number },
  ) {
    super(message, details)
    this.holder = details.holder
    this.position = details.position
    this.waitedMs = details.waitedMs
  }
}

/**
 * Why a hold counts as lost.
 *
 * - `expired`: its deadline passed without a confirmed renewal
 * - `not-held`: the store says that the owner does not hold the lock (expired there, deleted, failed over)
 * - `revoked`: `forceUnlock` evicted the holder
 * - `closed`: `close()` ended it
 */
export type LossReason = 'expired' | 'not-held' | 'revoked' | 'closed'

/** A hold ended, or may have ended, without its holder releasing it. Another client may hold the lock now. */
export class LockLostError extends HoldfastError {
  /** `LOCK_LOST` */
  static override readonly code = 'LOCK_LOST'
  /** Why it counts as lost. */
  readonly reason: LossReason
  /** What the callback of `withLock` returned, if it completed despite the loss. */
  readonly result: unknown

  constructor(message: string, details: HoldfastErrorDetails & { reason: LossReason; result?: unknown }) {
    super(message, details)
    this.reason = details.reason
    this.result = details.result
  }
}

/** This async context has no hold of the lock to undo. */
export class NotOwnerError extends HoldfastError {
  /** `NOT_OWNER` */
  static override readonly code = 'NOT_OWNER'
}

/** The key holds something that is not a lock: another type, or a hash without a time to live. Nothing was changed. */
export class NotALockError extends HoldfastError {
  /** `NOT_A_LOCK` */
  static override readonly code = 'NOT_A_LOCK'
}

/** What an error about the store says besides. */
export interface EngineErrorDetails extends HoldfastErrorDetails {
  /** The engine it is about, such as `redis`. */
  readonly engine?: string | undefined
}

/** The store did not reply in time. The command may still have been carried out; Holdfast cleans up after it. */
export class UnavailableError extends HoldfastError {
  /** `UNAVAILABLE` */
  static override readonly code = 'UNAVAILABLE'
  /** The engine whose store did not reply, such as `redis`. */
  readonly engine: string | undefined

  constructor(message: string, details: EngineErrorDetails = {}) {
    super(message, details)
    this.engine = details.engine
  }
}

/**
 * The store rejected a command, and repeating it makes no sense: missing permissions, a wrong password, a read-only
 * replica, a server that is too old.
 */
export class RefusedError extends HoldfastError {
  /** `REFUSED` */
  static override readonly code = 'REFUSED'
  /** The engine whose store rejected it, such as `redis`. */
  readonly engine: string | undefined

  constructor(message: string, details: EngineErrorDetails = {}) {
    super(message, details)
    this.engine = details.engine
  }
}

/** The lock was granted, but too few replicas acknowledged it in time (`minReplicas`). It was given back. */
export class ReplicationError extends HoldfastError {
  /** `REPLICATION` */
  static override readonly code = 'REPLICATION'
  /** How many replicas should have acknowledged it: `minReplicas`. */
  readonly wanted: number
  /** How many did, as far as Redis has replied; `undefined` when `waitMs` ended before it had. */
  readonly acknowledged: number | undefined

  constructor(
    message: string,
    details: HoldfastErrorDetails & { wanted: number; acknowledged: number | undefined },
  ) {
    super(message, details)
    this.wanted = details.wanted
    this.acknowledged = details.acknowledged
  }
}

/** This client already has `maxWaiters` waiters. */
export class TooManyWaitersError extends HoldfastError {
  /** `TOO_MANY_WAITERS` */
  static override readonly code = 'TOO_MANY_WAITERS'
}

/** The client was closed. */
export class ClosedError extends HoldfastError {
  /** `CLOSED` */
  static override readonly code = 'CLOSED'
}

/** An argument was refused before anything was sent. */
export class InvalidArgumentError extends HoldfastError {
  /** `INVALID_ARGUMENT` */
  static override readonly code = 'INVALID_ARGUMENT'
}
