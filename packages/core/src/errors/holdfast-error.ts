import { inspect } from 'node:util'

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
