import { inspect } from 'node:util'
import { InvalidArgumentError } from './errors.js'
import type { ClusterTemplate, RedisTemplate } from './redis/connection/types.js'

/** The longest time that can be asked for; a longer setTimeout would fire at once. */
export const longestMs = 2 ** 31 - 1
const shortestLeaseMs = 100

/** Another library whose locks can be shared. */
export type Interop = 'redisson'

/** How one acquisition behaves. Times are whole milliseconds, at most 2^31 - 1. */
export interface AcquireOptions {
  /**
   * How long to wait while somebody else holds the lock. 0 makes one attempt.
   *
   * @defaultValue unlimited for `lock` and `withLock`, unless the client has a default; 0 for `tryLock`, always
   */
  readonly waitMs?: number | undefined
  /**
   * A fixed lease: the hold ends after this time unless extended, and nothing renews it. At least 100.
   *
   * Without it the watchdog renews the hold for as long as the lease is open.
   */
  readonly leaseMs?: number | undefined
  /**
   * A brake on renewal, counted from the grant: the hold never outlives it. At least 100. No brake by default.
   *
   * In a nested call it counts from that entry, and ends the whole hold only if the lease is still open then; the outer one
   * stays in force.
   */
  readonly maxHoldMs?: number | undefined
  /** Stops the wait; the call then rejects with the signal's reason. It does not end a hold once acquired. */
  readonly signal?: AbortSignal | undefined
}

/** How a `Holdfast` client behaves. The options of an acquisition given here are defaults for every call. */
export interface HoldfastOptions extends AcquireOptions {
  /**
   * Where Redis is: a URL, or an ioredis `Redis` or `Cluster` that serves as a template.
   *
   * The template is never used for commands and never closed; Holdfast opens connections of its own like it.
   */
  readonly redis: string | RedisTemplate | ClusterTemplate
  /**
   * Put before every lock name, after the template's own `keyPrefix`.
   *
   * @defaultValue 'lock:'; none, and no other allowed, with `interop`
   */
  readonly prefix?: string | undefined
  /**
   * Shares the locks of this client with Java services that use Redisson, 3.24 to 4.7: its `RLock` and, by
   * `getFencedLock`, its `RFencedLock` of the same name. Every Holdfast client of these locks must say so. By
   * default locks are shared with Holdfast clients only.
   */
  readonly interop?: Interop | undefined
  /** A name for this client that an operator sees in `inspect()`. None by default. */
  readonly label?: string | undefined
  /**
   * How long a lock outlives a holder that vanished. At least 100.
   *
   * A longer time means fewer renewals, and a longer wait for everyone else after a crash. Renewal and the
   * refreshing of places in queues run every third of it.
   *
   * @defaultValue 30_000
   */
  readonly watchdogTimeoutMs?: number | undefined
  /**
   * How long one command may go without an answer before Redis counts as unavailable. At least 1.
   *
   * @defaultValue 5_000
   */
  readonly commandTimeoutMs?: number | undefined
  /**
   * How many replicas must have a grant before its lease is handed out (`WAIT`). Makes a lock less likely to be given twice
   * in a fail-over, and not impossible: only a fencing token does. Not for re-entry and renewals.
   *
   * @defaultValue 0: the master alone confirms
   */
  readonly minReplicas?: number | undefined
  /**
   * How long the replicas may take. Then the hold is given back, and the call rejects with `ReplicationError`. At least 1.
   *
   * Several calls share one `WAIT`; one that comes while another is on waits for the next, so it may take twice as long.
   *
   * @defaultValue 1_000
   */
  readonly replicaTimeoutMs?: number | undefined
  /** How many waiters this client may have at once; one more is refused with `TooManyWaitersError`. No limit by default. */
  readonly maxWaiters?: number | undefined
}

/** The options of one acquisition after checks and defaults; a wait of `Infinity` is unlimited. */
export interface Request {
  readonly waitMs: number
  readonly leaseMs: number | null
  readonly maxHoldMs: number
  readonly signal: AbortSignal | undefined
}

/** Checked options of a client, with every default filled in. */
export interface Settings {
  readonly prefix: string
  readonly interop: Interop | undefined
  readonly label: string
  readonly watchdogTimeoutMs: number
  /** A third of it: how often holds are renewed, places refreshed, and the notice connection is tried. */
  readonly rhythmMs: number
  readonly commandTimeoutMs: number
  readonly minReplicas: number
  readonly replicaTimeoutMs: number
  readonly maxWaiters: number
  readonly defaults: AcquireOptions
}

function checkInteger(option: string, value: unknown, least: number): void {
  if (value !== undefined) requireInteger(option, value, least)
}

function requireInteger(option: string, value: unknown, least: number): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > longestMs) {
    throw new InvalidArgumentError(
      `${option} must be an integer from ${least} to ${longestMs}, got ${inspect(value)}`,
    )
  }
}

function checkString(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw new InvalidArgumentError(`${option} must be a string, got ${inspect(value)}`)
  }
}

function checkInterop({ interop, prefix }: HoldfastOptions): void {
  const given: unknown = interop
  if (given === undefined) return
  if (given !== 'redisson') {
    throw new InvalidArgumentError(`interop must be 'redisson', got ${inspect(given)}`)
  }
  if (prefix !== undefined && prefix !== '') {
    throw new InvalidArgumentError(
      `prefix must be left out with interop: 'redisson', whose locks have none, got ${inspect(prefix)}`,
    )
  }
}

/** Refuses a lease time that is no integer of at least 100 ms. */
export const requireLeaseMs = (value: unknown): void => {
  requireInteger('leaseMs', value, shortestLeaseMs)
}

/** How `close` behaves. */
export interface CloseOptions {
  /**
   * How long holders get to release what they hold, milliseconds.
   *
   * @defaultValue 0
   */
  readonly drainMs?: number | undefined
}

/** Checks the options of a close. */
export function resolveDrainMs(options: CloseOptions): number {
  checkObject(options)
  checkInteger('drainMs', options.drainMs, 0)
  return options.drainMs ?? 0
}

function checkObject(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidArgumentError(`options must be an object, got ${inspect(options)}`)
  }
}

function checkAcquireOptions(options: AcquireOptions): void {
  checkObject(options)
  checkInteger('waitMs', options.waitMs, 0)
  checkInteger('leaseMs', options.leaseMs, shortestLeaseMs)
  checkInteger('maxHoldMs', options.maxHoldMs, shortestLeaseMs)
  const signal: unknown = options.signal
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal, got ${inspect(signal)}`)
  }
}

/** Checks the options of a client and fills in the defaults. */
export function resolveSettings(options: HoldfastOptions): Settings {
  checkAcquireOptions(options)
  checkString('prefix', options.prefix)
  checkString('label', options.label)
  checkInterop(options)
  checkInteger('watchdogTimeoutMs', options.watchdogTimeoutMs, shortestLeaseMs)
  checkInteger('commandTimeoutMs', options.commandTimeoutMs, 1)
  checkInteger('minReplicas', options.minReplicas, 0)
  checkInteger('replicaTimeoutMs', options.replicaTimeoutMs, 1)
  checkInteger('maxWaiters', options.maxWaiters, 0)
  const { waitMs, leaseMs, maxHoldMs, signal, watchdogTimeoutMs = 30_000 } = options
  return {
    prefix: options.prefix ?? (options.interop ? '' : 'lock:'),
    interop: options.interop,
    label: options.label ?? '',
    watchdogTimeoutMs,
    rhythmMs: watchdogTimeoutMs / 3,
    commandTimeoutMs: options.commandTimeoutMs ?? 5_000,
    minReplicas: options.minReplicas ?? 0,
    replicaTimeoutMs: options.replicaTimeoutMs ?? 1_000,
    maxWaiters: options.maxWaiters ?? Infinity,
    defaults: { waitMs, leaseMs, maxHoldMs, signal },
  }
}

/**
 * Checks the options of one acquisition and fills in the client's defaults.
 *
 * @param waitMs - the default wait of this kind of call, when it does not follow the client's
 */
export function resolveRequest(options: AcquireOptions, defaults: AcquireOptions, waitMs?: number): Request {
  checkAcquireOptions(options)
  return {
    waitMs: options.waitMs ?? waitMs ?? defaults.waitMs ?? Infinity,
    leaseMs: options.leaseMs ?? defaults.leaseMs ?? null,
    maxHoldMs: options.maxHoldMs ?? defaults.maxHoldMs ?? Infinity,
    signal: options.signal ?? defaults.signal,
  }
}
