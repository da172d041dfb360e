import { inspect } from 'node:util'
import { checkInteger, checkOptions, checkString, requireInteger } from './checks.js'
import { checkOutlastsConfirmation } from './confirmation.js'
import type { LockEngine } from './engine/session.js'
import type { Traits } from './engine/traits.js'
import { InvalidArgumentError } from './errors.js'

const shortestLeaseMs = 100

/**
 * How one acquisition behaves. Times are whole milliseconds, at most 2^31 - 1.
 *
 * An option that is left out or `undefined` takes the client's default. `Infinity` for `waitMs` and `maxHoldMs`, and `null` for
 * `leaseMs` and `signal`, undo that default for the call.
 */
export interface AcquireOptions {
  /**
   * How long to wait while another owner holds the lock. 0 makes one attempt, `Infinity` waits without limit.
   *
   * @defaultValue unlimited for `lock` and `withLock`, unless the client has a default; 0 for `tryLock`, always
   */
  readonly waitMs?: number | undefined
  /**
   * A fixed lease: the hold ends after this time unless extended, and nothing renews it. At least 100.
   *
   * Without it, and with `null`, the watchdog renews the hold for as long as the lease is open. With `minReplicas` it must
   * be above `replicaTimeoutMs`.
   */
  readonly leaseMs?: number | null | undefined
  /**
   * A limit on renewal, counted from the grant: the hold never outlives it. At least 100, and with `minReplicas` above
   * `replicaTimeoutMs`. No limit by default, and with `Infinity`.
   *
   * In a nested call it counts from that entry, and ends the whole hold only if the lease is still open then; the outer
   * limit still applies.
   */
  readonly maxHoldMs?: number | undefined
  /**
   * Stops the wait; the call then rejects with the signal's reason. It does not end a hold once acquired. None by default,
   * and with `null`.
   */
  readonly signal?: AbortSignal | null | undefined
}

/** How a client behaves with any engine. The options of an acquisition given here are defaults for every call. */
export interface ClientOptions extends AcquireOptions {
  /** A name for this client that an operator sees in `inspect()`. None by default. */
  readonly label?: string | undefined
  /**
   * How long a lock outlives a holder that vanished. At least 100.
   *
   * A longer time means fewer renewals, and a longer wait for everyone else after a crash. Renewal and the
   * refreshing of queue entries run every third of it.
   *
   * @defaultValue 30_000
   */
  readonly watchdogTimeoutMs?: number | undefined
  /**
   * How long one command may go without a reply before the store counts as unavailable. At least 1.
   *
   * @defaultValue 5_000
   */
  readonly commandTimeoutMs?: number | undefined
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

/** The shortest lease that can be had, and from which engine. */
export interface LeaseBounds {
  readonly engine: string
  readonly shortestLeaseMs: number
  readonly confirmation?: Traits['lease']['confirmation']
}

/** Checked options of a client with every default filled in, and what its engine makes of them. */
export interface Settings extends LeaseBounds {
  readonly label: string
  readonly watchdogTimeoutMs: number
  /** A third of it: how often holds are renewed, queue entries refreshed and quiet connections tried. */
  readonly renewEveryMs: number
  readonly commandTimeoutMs: number
  readonly maxWaiters: number
  /** By how much the store may end a lease early, besides clocks that drift apart. */
  readonly marginMs: number
  readonly hasTokens: boolean
  readonly defaults: AcquireOptions
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

const acquireOptions: Record<keyof AcquireOptions, true> = {
  waitMs: true,
  leaseMs: true,
  maxHoldMs: true,
  signal: true,
}
const acquireOptionNames = new Set(Object.keys(acquireOptions))

const clientOptions: Record<keyof ClientOptions, true> = {
  ...acquireOptions,
  label: true,
  watchdogTimeoutMs: true,
  commandTimeoutMs: true,
  maxWaiters: true,
}
export const clientOptionNames: readonly string[] = Object.keys(clientOptions)

const closeOptions: Record<keyof CloseOptions, true> = { drainMs: true }
const closeOptionNames = new Set(Object.keys(closeOptions))

const whyOf = ({ engine, shortestLeaseMs: least }: LeaseBounds): string =>
  least > shortestLeaseMs ? ` (the engine ${engine} does not support shorter leases)` : ''

/** Refuses a lease time that is not an integer of at least 100 ms, or of what the engine can keep. */
export const requireLeaseMs = (value: unknown, bounds: LeaseBounds): void => {
  requireInteger('leaseMs', value, bounds.shortestLeaseMs, whyOf(bounds))
}

/** Checks the options of a close. */
export function resolveDrainMs(options: CloseOptions): number {
  checkOptions(options, closeOptionNames)
  checkInteger('drainMs', options.drainMs, 0)
  return options.drainMs ?? 0
}

function checkAcquireValues(options: AcquireOptions, bounds: LeaseBounds): void {
  const { waitMs, leaseMs, maxHoldMs } = options
  if (waitMs !== Infinity) checkInteger('waitMs', waitMs, 0, ' or Infinity')
  if (leaseMs !== null) checkInteger('leaseMs', leaseMs, bounds.shortestLeaseMs, ` or null${whyOf(bounds)}`)
  if (maxHoldMs !== Infinity) {
    checkInteger('maxHoldMs', maxHoldMs, bounds.shortestLeaseMs, ` or Infinity${whyOf(bounds)}`)
  }
  checkOutlastsConfirmation('leaseMs', leaseMs, bounds.confirmation)
  checkOutlastsConfirmation('maxHoldMs', maxHoldMs, bounds.confirmation)
  const signal: unknown = options.signal
  if (signal !== undefined && signal !== null && !(signal instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal or null, got ${inspect(signal)}`)
  }
}

/** Checks the options of a client and fills in the defaults. */
export function resolveSettings(
  options: ClientOptions,
  { name: engine, traits }: Pick<LockEngine, 'name' | 'traits'>,
): Settings {
  const { shortestMs, confirmation } = traits.lease
  const bounds = { engine, shortestLeaseMs: Math.max(shortestLeaseMs, shortestMs), confirmation }
  checkAcquireValues(options, bounds)
  checkString('label', options.label)
  checkInteger('watchdogTimeoutMs', options.watchdogTimeoutMs, bounds.shortestLeaseMs, whyOf(bounds))
  checkInteger('commandTimeoutMs', options.commandTimeoutMs, 1)
  checkInteger('maxWaiters', options.maxWaiters, 0)
  const { waitMs, leaseMs, maxHoldMs, signal, watchdogTimeoutMs = 30_000 } = options
  return {
    ...bounds,
    label: options.label ?? '',
    watchdogTimeoutMs,
    renewEveryMs: watchdogTimeoutMs / 3,
    commandTimeoutMs: options.commandTimeoutMs ?? 5_000,
    maxWaiters: options.maxWaiters ?? Infinity,
    marginMs: traits.lease.marginMs,
    hasTokens: traits.fencing !== 'none',
    defaults: { waitMs, leaseMs, maxHoldMs, signal },
  }
}

const noOptions: AcquireOptions = {}

/**
 * Checks the options of one acquisition and fills in the client's defaults.
 *
 * @param given - what the caller handed over; `undefined` for no options
 * @param waitMs - the default wait of this kind of call, when it does not follow the client's
 */
export function resolveRequest(
  given: AcquireOptions | undefined,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
  waitMs?: number,
): Request {
  const options = given ?? noOptions
  if (given !== undefined) {
    checkOptions(given, acquireOptionNames)
    checkAcquireValues(given, settings)
  }
  const { defaults } = settings
  return {
    waitMs: options.waitMs ?? waitMs ?? defaults.waitMs ?? Infinity,
    leaseMs: (options.leaseMs === undefined ? defaults.leaseMs : options.leaseMs) ?? null,
    maxHoldMs: options.maxHoldMs ?? defaults.maxHoldMs ?? Infinity,
    signal: (options.signal === undefined ? defaults.signal : options.signal) ?? undefined,
  }
}
