import { isOwner, type ObjectKind, type Target } from '../engine/requests.js'
import type { LockEngine, Traits } from '../engine/session.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { isEvictor, heirBy } from '../holding/loss.js'
import { driftMs, longestMs } from '../time/time.js'
import { shown } from '../util/mistakes.js'
import {
  checkBoolean,
  checkInteger,
  checkObject,
  checkOptions,
  checkString,
  requireInteger,
} from './checks.js'

/** A shorter one is not worth a command. */
export const shortestLeaseMs = 100
export const defaultWatchdogTimeoutMs = 30_000

/**
 * How one acquisition behaves. Times are whole milliseconds, at most 2^31 - 1.
 *
 * An option that is left out or `undefined` takes the client's default. `Infinity` for `waitMs` and `maxHoldMs`, and `null` for
 * `leaseMs` and `signal`, undo that default for the call.
 */
export interface AcquireOptions {
  /**
   * How long to wait while others hold the lock or the permits. 0 makes one attempt, `Infinity` waits without limit. A call that
   * says `Infinity` itself means to: `@holdfast/core/metrics` leaves it out of the age of the oldest waiter.
   *
   * @defaultValue 0 for `tryLock`, `tryWithLock` and `tryAcquire`, always; unlimited for the other calls, unless the client has a default
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
  /**
   * Whether a call inside a hold of the same lock re-enters that hold. With `false` it never does: it gets a new owner, and
   * so waits for the hold around it, like any other caller. For code that a queue, a pool or a batcher may start in the async
   * context of another caller. A handle (`getLock(name, { reentrant: false })`) overrides the client, a call overrides the handle.
   *
   * @defaultValue true
   */
  readonly reentrant?: boolean | undefined
}

/** How one acquisition of a lock behaves. */
export interface HoldOptions extends AcquireOptions {
  /**
   * For how long the lock is held at least, counted from the acquisition: released before that, it stays held until then, by no one. So a
   * short job runs once per interval, although clocks of instances differ. At least 1.
   *
   * What is kept is not renewed, cannot be lost and outlives `close()`; `forceUnlock()` ends it. A process that dies first changes nothing:
   * its lease ends as always. Refused for read/write locks, multi locks and quorum locks, with Redisson, and by engines whose holds end with a
   * session.
   *
   * @defaultValue none: the lock is free once it is released
   */
  readonly atLeastMs?: number | undefined
}

/** How a lease is handed over. */
export interface HandOverOptions {
  /**
   * For how long the lock stays held for the ticket, counted from the call: taken over by then, or free again. An integer from the shortest
   * lease of the engine on, 100 for most.
   */
  readonly withinMs: number
}

/** How a lock is taken over. */
export type TakeOverOptions = Omit<HoldOptions, 'waitMs' | 'reentrant'>

/** How a lock, a read/write lock or a multi lock is made. */
export type LockOptions = Pick<AcquireOptions, 'reentrant'>

/** How `lease.run` waits while another callback runs in the same hold. Defaults as for `withLock`. */
export type RunOptions = Pick<AcquireOptions, 'waitMs' | 'signal'>

/** How a client behaves with any engine. The options of an acquisition given here are defaults for every call. */
export interface ClientOptions extends AcquireOptions {
  /** A name for this client that operators see in `inspect()` and `holdfast ls`, such as that of the service. None by default. */
  readonly label?: string | undefined
  /**
   * How long a hold outlives a process that died. At least 100.
   *
   * A longer time means fewer renewals, and a longer wait for everyone else after a crash. Renewal and the
   * refreshing of queue entries run every third of it.
   *
   * @defaultValue 30_000
   */
  readonly watchdogTimeoutMs?: number | undefined
  /**
   * How long one command may go without a reply before the store counts as unavailable, and how long a call waits for the reply
   * to its release, which then goes on in the background. At least 1. A renewal waits for a third of `watchdogTimeoutMs` at most.
   *
   * @defaultValue 5_000
   */
  readonly commandTimeoutMs?: number | undefined
  /** How many waiters this client may have at once; one more is rejected with `TooManyWaitersError`. No limit by default. */
  readonly maxWaiters?: number | undefined
}

/** The options of one acquisition after checks and defaults; a wait of `Infinity` is unlimited. */
export interface Request {
  readonly waitMs: number
  readonly leaseMs: number | null
  readonly maxHoldMs: number
  readonly signal: AbortSignal | undefined
  /** For how long the lock is held at least. */
  readonly atLeastMs?: number | undefined
  /** From whom a lock is taken over, if it is. */
  readonly heir?: string | undefined
  /** Whether the call itself said that it waits without limit. */
  readonly isStandby?: boolean
  /** Whether it may re-enter; `undefined` leaves it to each member of a multi lock. */
  readonly reentrant?: boolean | undefined
  /** The hold around the caller that it must not re-enter. */
  readonly inside?: { readonly owner: string; readonly isOver: boolean } | undefined
}

/** The shortest lease that can be had, and from which engine. */
export interface LeaseBounds {
  readonly engine: string
  /** Whether a release can keep a lock. */
  readonly keeps?: boolean
  /** Whether a release can hand a lock over. */
  readonly handsOver?: boolean
  readonly shortestLeaseMs: number
  readonly confirmation?: Traits['lease']['confirmation']
  /** Of a quorum, the longest fixed lease, and the option that sets it. */
  readonly longestLease?: { readonly ms: number; readonly option: string } | undefined
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
  /** Whether the store may forget single holds. */
  readonly evicts: boolean
  readonly hasTokens: boolean
  readonly defaults: AcquireOptions
}

/** How `close` behaves. */
export interface CloseOptions {
  /**
   * How long holders and scopes get to end their work, milliseconds. At least 0. To end within 10 s on any account: 2_000.
   *
   * @defaultValue 0
   */
  readonly drainMs?: number | undefined
}

const acquireOptions = ['waitMs', 'leaseMs', 'maxHoldMs', 'signal', 'reentrant'] as const
const acquireOptionNames: ReadonlySet<string> = new Set<keyof AcquireOptions>(acquireOptions)
export const holdOptionNames: ReadonlySet<string> = new Set<keyof HoldOptions>([
  ...acquireOptions,
  'atLeastMs',
])
const takeOverOptionNames = new Set(['leaseMs', 'maxHoldMs', 'signal', 'atLeastMs'])
const handOverOptionNames = new Set(['withinMs'])
const lockOptionNames = new Set(['reentrant'])
const optionsOfLock =
  'a lock has no options but reentrant: pass others to lock, tryLock or withLock, or as defaults to the client'
const runOptionNames = new Set(['waitMs', 'signal'])

/** How one acquisition of permits behaves. */
export interface PermitOptions extends Omit<AcquireOptions, 'reentrant'> {
  /**
   * How many permits to take, together or not at all: from 1 to the number given to `getSemaphore`.
   *
   * @defaultValue 1
   */
  readonly permits?: number | undefined
}

/** How a semaphore is made. */
export interface SemaphoreOptions {
  /**
   * How many permits there are in all: 1 to 999,999,999. Every process should give the same number. While a deployment changes
   * it, each process applies its own number.
   */
  readonly permits: number
}

/** How a resize behaves. */
export interface ResizeOptions {
  /**
   * How long, in milliseconds, the new size overrides the number given to `getSemaphore`. At least 1.
   *
   * @defaultValue 2_147_483_647, about 25 days
   */
  readonly keepMs?: number | undefined
}

const permitOptionNames = new Set([...acquireOptionNames, 'permits'].filter((name) => name !== 'reentrant'))
const semaphoreOptionNames = new Set(['permits'])
const resizeOptionNames = new Set(['keepMs'])

export const clientOptionNames: readonly (keyof ClientOptions)[] = [
  ...acquireOptions,
  ...(['label', 'watchdogTimeoutMs', 'commandTimeoutMs', 'maxWaiters'] as const),
]
const closeOptionNames = new Set(['drainMs'])

const whyOf = ({ engine, shortestLeaseMs: least }: LeaseBounds): string =>
  least > shortestLeaseMs ? ` (the engine ${engine} does not support shorter leases)` : ''

/** Refuses a time to extend a lease to that is not an integer of at least 100 ms, or of what the engine can keep. */
export const requireLeaseMs = (value: unknown, bounds: LeaseBounds): void => {
  requireInteger('leaseMs', value, bounds.shortestLeaseMs, `, as in extend(30_000)${whyOf(bounds)}`)
  checkLongest(Number(value), bounds)
}

function checkLongest(leaseMs: number | null | undefined, { longestLease }: LeaseBounds): void {
  if (leaseMs == null || !longestLease || leaseMs <= longestLease.ms) return
  throw new InvalidArgumentError(
    `leaseMs must be at most ${longestLease.option} (${longestLease.ms}): a master that restarts without its data has ` +
      `a vote again after that time, got ${leaseMs}`,
  )
}

/** Checks the options of one acquisition of a lock, and fills in the client's defaults. Arguments as for `resolveRequest`. */
export function resolveHold(
  given: HoldOptions | undefined,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
  waitMs: number | undefined,
  reentrant: boolean,
  kind: ObjectKind,
  names = holdOptionNames,
): Request {
  const request = resolveRequest(given, settings, waitMs, reentrant, names)
  const atLeastMs = given?.atLeastMs
  if (atLeastMs === undefined) return request
  requireInteger('atLeastMs', atLeastMs, 1)
  if (kind !== 'lock' || !settings.keeps) {
    const what = kind === 'lock' ? `the engine ${settings.engine}` : `a ${kind}`
    throw new InvalidArgumentError(
      `${what} cannot keep a lock after its release, so atLeastMs is refused; keep a record of when the job last ran, and check it under the lock`,
    )
  }
  return { ...request, atLeastMs }
}

/** Checks the arguments of a take-over, which waits for nothing but the reply of the store. */
export function resolveTakeOver(
  given: TakeOverOptions | undefined,
  settings: Settings,
  { kind, address }: Target,
  ticket: unknown,
): Request {
  requireHandingOver(kind, settings)
  const heir = heirBy(ticket, settings.engine, address)
  const { commandTimeoutMs } = settings
  return { ...resolveHold(given, settings, commandTimeoutMs, false, kind, takeOverOptionNames), heir }
}

/** Checks the options of a hand-over, and returns its `withinMs`. */
export function resolveHandOver(given: HandOverOptions, bounds: LeaseBounds, kind: ObjectKind): number {
  requireHandingOver(kind, bounds)
  checkOptions(given, handOverOptionNames)
  requireInteger('withinMs', given.withinMs, bounds.shortestLeaseMs, whyOf(bounds))
  return given.withinMs
}

function requireHandingOver(kind: ObjectKind, { handsOver, engine }: LeaseBounds): void {
  if (kind === 'lock' && handsOver) return
  throw new InvalidArgumentError(
    `a ${kind} of ${engine}, or of a quorum, cannot be handed over: release it, and acquire it in the other process`,
  )
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
  checkLongest(leaseMs, bounds)
  checkOutlastsConfirmation('leaseMs', leaseMs, bounds.confirmation)
  checkOutlastsConfirmation('maxHoldMs', maxHoldMs, bounds.confirmation)
  const signal: unknown = options.signal
  if (signal !== undefined && signal !== null && !(signal instanceof AbortSignal)) {
    throw new InvalidArgumentError(`signal must be an AbortSignal or null, got ${shown(signal)}`)
  }
  checkBoolean('reentrant', options.reentrant)
}

/** Checks the options of a handle on a lock, and returns whether calls on it may re-enter, if they say. */
export function resolveReentrant(options: LockOptions | undefined): boolean | undefined {
  if (options === undefined) return undefined
  checkObject(options, `; ${optionsOfLock}`)
  if (Object.keys(options).some((name) => acquireOptionNames.has(name) && !lockOptionNames.has(name))) {
    throw new InvalidArgumentError(optionsOfLock)
  }
  checkOptions(options, lockOptionNames)
  checkBoolean('reentrant', options.reentrant)
  return options.reentrant
}

/** A lease whose deadline cannot lie ahead is never claimed: whoever acquired the lock would request it for ever. */
function assertClaimable(engine: string, shortestMs: number, marginMs: number): void {
  const drift = driftMs(shortestMs, marginMs)
  if (shortestMs > drift) return
  throw new InvalidArgumentError(
    `the engine ${engine} has leases from ${shortestMs} ms that could not be claimed at all: their deadline lies ${drift} ms before their end ` +
      `(lease.marginMs, ${marginMs}, and 1 % of the lease). Its traits need a longer lease.shortestMs or a shorter lease.marginMs`,
  )
}

/** Checks the options of a client and fills in the defaults. */
export function resolveSettings(
  options: ClientOptions,
  { name: engine, traits }: Pick<LockEngine, 'name' | 'traits'>,
  longestLease?: LeaseBounds['longestLease'],
): Settings {
  const { shortestMs, marginMs, confirmation } = traits.lease
  const shortest = Math.max(shortestLeaseMs, shortestMs)
  assertClaimable(engine, shortest, marginMs)
  const bounds = { engine, shortestLeaseMs: shortest, confirmation, longestLease }
  checkAcquireValues(options, bounds)
  checkString('label', options.label)
  checkInteger('watchdogTimeoutMs', options.watchdogTimeoutMs, bounds.shortestLeaseMs, whyOf(bounds))
  checkInteger('commandTimeoutMs', options.commandTimeoutMs, 1)
  checkInteger('maxWaiters', options.maxWaiters, 0)
  const { waitMs, leaseMs, maxHoldMs, signal, reentrant } = options
  const { watchdogTimeoutMs = defaultWatchdogTimeoutMs } = options
  return {
    ...bounds,
    label: options.label ?? '',
    watchdogTimeoutMs,
    renewEveryMs: watchdogTimeoutMs / 3,
    commandTimeoutMs: options.commandTimeoutMs ?? 5_000,
    maxWaiters: options.maxWaiters ?? Infinity,
    marginMs,
    keeps: traits.lease.keeps === true,
    handsOver: traits.lease.handsOver === true,
    evicts: traits.evicts === true,
    hasTokens: traits.fencing !== 'none',
    defaults: { waitMs, leaseMs, maxHoldMs, signal, reentrant },
  }
}

const noOptions: AcquireOptions = {}

/**
 * Checks the options of one acquisition and fills in the client's defaults.
 *
 * @param given - what the caller handed over; `undefined` for no options
 * @param waitMs - the default wait of this kind of call, when it does not follow the client's
 * @param reentrant - what the handle says
 * @param names - of the options that this kind of call has
 */
export function resolveRequest(
  given: AcquireOptions | undefined,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
  waitMs?: number,
  reentrant?: boolean,
  names: ReadonlySet<string> = acquireOptionNames,
): Request {
  const options = given ?? noOptions
  if (given !== undefined) {
    checkOptions(given, names)
    checkAcquireValues(given, settings)
  }
  const { defaults } = settings
  return {
    waitMs: options.waitMs ?? waitMs ?? defaults.waitMs ?? Infinity,
    leaseMs: (options.leaseMs === undefined ? defaults.leaseMs : options.leaseMs) ?? null,
    maxHoldMs: options.maxHoldMs ?? defaults.maxHoldMs ?? Infinity,
    signal: (options.signal === undefined ? defaults.signal : options.signal) ?? undefined,
    isStandby: options.waitMs === Infinity,
    reentrant: options.reentrant ?? reentrant,
  }
}

/** Checks the options of `lease.run` and fills in the client's defaults. */
export const resolveRun = (
  given: RunOptions | undefined,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
): Request => resolveRequest(given, settings, undefined, undefined, runOptionNames)

/** Any number above this means all permits of a read/write lock. */
const mostPermits = 999_999_999

/** Checks the options of a semaphore, and returns how many permits it has. */
export function resolveSize(options: SemaphoreOptions): number {
  checkObject(options, '; give the number of permits as getSemaphore(name, { permits })')
  checkOptions(options, semaphoreOptionNames)
  const { permits } = options
  requireInteger('permits', permits, 1, '', mostPermits)
  return permits
}

/** Checks the options of one acquisition of permits and fills in the client's defaults. */
export function resolvePermits(
  given: PermitOptions | undefined,
  size: number,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
  waitMs?: number,
): { readonly request: Request; readonly permits: number } {
  const request = resolveRequest(given, settings, waitMs, undefined, permitOptionNames)
  const permits = given?.permits ?? 1
  requireInteger('permits', permits, 1, ', the number given to getSemaphore', size)
  return { request, permits }
}

/** A resize whose arguments were checked. */
export interface Resize {
  readonly size: number
  readonly keepMs: number
}

export function resolveResize(size: number, options: ResizeOptions): Resize {
  requireInteger('permits', size, 0, '', mostPermits)
  checkOptions(options, resizeOptionNames)
  checkInteger('keepMs', options.keepMs, 1)
  return { size, keepMs: options.keepMs ?? longestMs }
}

/** Refuses a time that may pass before the grant of its hold is confirmed. */
function checkOutlastsConfirmation(
  option: 'leaseMs' | 'maxHoldMs',
  ms: number | null | undefined,
  confirmation: Traits['lease']['confirmation'],
): void {
  if (ms == null || !confirmation || ms > confirmation.withinMs) return
  throw new InvalidArgumentError(
    `${option} must be above ${confirmation.option} (${confirmation.withinMs}), ` +
      `or the hold may end before it is confirmed, got ${ms}`,
  )
}

/** Whom `forceUnlock` evicts, and on whose behalf. */
export interface ForceOptions {
  /**
   * Evicts this owner only, as `inspect()` shows it. If it is left out, the one that holds the lock by then; `undefined` is
   * refused, since a lock that was free when you looked may have a holder by now.
   */
  readonly owner?: string
  /**
   * Who evicts it: 1 to 200 printable characters, such as `ada@ops`. The evicted holder finds it in `LockLostError.by` and in
   * the message, if the engine can pass it on and its client gets it in time.
   */
  readonly by?: string | undefined
}

const forceOptionNames = new Set(['owner', 'by'])

/** Checks the options of an eviction. */
export function resolveForce(options: ForceOptions, lockName: string): ForceOptions {
  checkOptions(options, forceOptionNames)
  const { owner, by } = options
  if ('owner' in options && !isOwner(owner)) throw notAnOwner('forceUnlock', owner, lockName)
  checkEvictor(by, lockName)
  return options
}

/** The error for what cannot be the owner to evict. */
export const notAnOwner = (method: string, given: unknown, lockName: string): InvalidArgumentError =>
  new InvalidArgumentError(
    `${method} needs an owner as inspect() shows it, '<clientId>:<n>', got ${shown(given)}`,
    { lockName },
  )

function checkEvictor(by: unknown, lockName: string): void {
  if (by === undefined || isEvictor(by)) return
  throw new InvalidArgumentError(`by must be a text of 1 to 200 printable characters, got ${shown(by)}`, {
    lockName,
  })
}
