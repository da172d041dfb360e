import { types } from 'node:util'
import { EventEmitter } from 'eventemitter3'
import type { ObjectKind } from '../engine/requests.js'
import {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  LockLostError,
  RefusedError,
  toHoldfastError,
  UnavailableError,
} from '../errors/errors.js'
import { unknownName } from '../options/checks.js'
import { monotonicMs } from '../time/time.js'
import { shown } from '../util/mistakes.js'

/** The object and owner that an event is about. */
export interface LockEvent {
  /** The name given to `getLock`, `getSemaphore` and so on. */
  readonly name: string
  /** What has that name, and for a read/write lock which side of it. */
  readonly kind: ObjectKind
  /** `<clientId>:<n>` */
  readonly owner: string
  /** Of a semaphore: how many permits the owner holds. */
  readonly permits?: number
}

/** Events of a `Holdfast` client. Each carries one object; `error` may carry a second one. */
export interface HoldfastEvents {
  /**
   * A hold was acquired or re-entered (`holdCount` above 1). `fencingToken` is 0 if the hold has no token, which
   * happens only with engines of which not every lease has one.
   */
  acquired: [event: LockEvent & { holdCount: number; fencingToken: number; waitedMs: number }]
  /**
   * A release handed the lock to a waiter of this client. `handOffMs`: the time from the grant in the store until this client
   * received its notification, too long by at most one round trip; absent where the store gives no times.
   */
  granted: [event: LockEvent & { fencingToken: number; handOffMs?: number }]
  /**
   * An acquisition, or a wait for a latch, began to wait. `holder` is empty if there is none; `position` is 0 if it has none;
   * both are those of that moment. `behindOwnClient`: the holder is a call of this same client, as with two requests of one server; if the waiting code runs inside that hold but was not called through
   * `withLock`, `lease.run` or a scope, this is a self-deadlock. `behindItself`: the call runs inside that very hold, and must not
   * re-enter it (`reentrant: false`): it waits for itself, until `waitMs` or the signal ends it.
   *
   * If there is no listener, the process emits a warning once (`HOLDFAST_SELF_DEADLOCK`) when a call has waited for 10 seconds, or up to a third
   * of `watchdogTimeoutMs` longer, behind itself, or behind a lease of this client that was there before the call and in which no callback
   * runs.
   */
  waiting: [
    event: LockEvent & { holder: string; position: number; behindOwnClient: boolean; behindItself: boolean },
  ]
  /** The watchdog renewed a hold. */
  renewed: [event: LockEvent & { remainingMs: number }]
  /**
   * A lease was released; `holdCount` is how many remain open, 0 when the lock was released. `confirmed`: the store has
   * replied; without a reply this comes when the lease has expired (of a quorum, when the release was given its time).
   */
  released: [event: LockEvent & { holdCount: number; confirmed: boolean }]
  /** A write lock became a read lock: the hold's last write lease was released while a read lease is open. */
  downgraded: [event: LockEvent]
  /** This client changed the number of permits of a semaphore. */
  resized: [event: { name: string; kind: 'semaphore'; size: number }]
  /** A latch opened that this client was waiting for. Emitted once, before the waits resolve. */
  opened: [event: { name: string; kind: 'latch'; generation: number }]
  /** A hold ended, or may have ended, without being released. */
  lost: [event: LockEvent & { error: LockLostError }]
  /**
   * Code forgot to unlock. `scope-ended`: a scope ended with this lock still held, and released it. `lease-dropped`: the lease was
   * garbage-collected, so no code can release it. It stays held, and renewed: what it protects may still run. Noticed at a
   * renewal after the collection. `stack`: where `lock()` or `tryLock()` was called, if there was a listener when that call was made.
   *
   * If there is no listener, the process emits one warning per client for `lease-dropped` (`HOLDFAST_LEAKED`).
   */
  leaked: [event: LockEvent & { reason: 'scope-ended' | 'lease-dropped'; stack?: string }]
  /**
   * Something is degraded but still works.
   *
   * If there is no listener, the process emits a warning once per client for `EVICTION_POLICY` (`HOLDFAST_EVICTION_POLICY`), which means
   * that the store may forget a lock that is held, and for `BODY_ENDED_FIRST` (`HOLDFAST_BODY_ENDED_FIRST`), which means that two callbacks
   * may have run under one lock at the same time.
   */
  warning: [event: { code: WarningCode; message: string }]
  /**
   * The store did not reply or a background task failed; waits and renewals go on.
   *
   * Every waiter and every renewal fails again and again while the store cannot be reached, or rejects everything. The first
   * `UnavailableError` of an outage is emitted at once, then the latest of each second; the same for each `RefusedError` that is repeated.
   * `summary.count` says how many it stands for, if there are several. All other errors are emitted one by one.
   *
   * What a listener of another event throws, or rejects with, is an error, too. If there is no listener, or an `error` listener throws, the
   * process emits a warning once (`HOLDFAST_LISTENER_THREW`).
   *
   * If there is no listener, the process emits one warning per outage (`HOLDFAST_UNAVAILABLE`): at once if the store was never
   * reached, or else with the first error that comes 2 seconds or more after the first one of the outage. A broken connection is an error
   * at once; a silent server only when a command to it has waited for `commandTimeoutMs`. The first `RefusedError`, as of a renewal that the
   * store rejects, is a warning once per client (`HOLDFAST_REFUSED`), and so is the first `InvalidArgumentError`, as of a quorum that lists
   * one server twice (`HOLDFAST_INVALID_ARGUMENT`).
   */
  error: [error: HoldfastError, summary?: { readonly count: number }]
}

/**
 * - `EVICTION_POLICY`: the server may evict locks when its memory is full
 * - `SERVER_UNKNOWN`: the server's version, role and eviction policy could not be read
 * - `NOTICE_REFUSED`: the store rejected a notification; the waiter notices its grant later
 * - `SPLIT_CONNECTIONS`: one address leads to several servers, and notifications arrive from another one than runs the commands
 * - `RELEASE_UNCONFIRMED`: a release got no reply within `commandTimeoutMs`, or before the lease expired. It is repeated in the
 *   background until the lease expires
 * - `BODY_ENDED_FIRST`: the callback that holds ended while another one that entered its hold still runs; the message says where
 *   both were called
 * - `SESSION_TIME`: the store's servers grant sessions of another length than was wanted
 */
export type WarningCode =
  | 'EVICTION_POLICY'
  | 'SERVER_UNKNOWN'
  | 'NOTICE_REFUSED'
  | 'SPLIT_CONNECTIONS'
  | 'RELEASE_UNCONFIRMED'
  | 'BODY_ENDED_FIRST'
  | 'SESSION_TIME'

/** After these two may be inside one lock. The others are about delays, or about what could not be checked. */
const endangersLocks: ReadonlyMap<WarningCode, string> = new Map([
  ['EVICTION_POLICY', 'Two clients may then hold one lock at the same time.'],
  ['BODY_ENDED_FIRST', 'Two callbacks may then run under one lock at the same time.'],
])

const handleBy = (event: 'error' | 'warning'): string =>
  `Handle it with the client's '${event}' event; without a listener this is shown once per client.`

// Two function types, not one that returns `void | Promise<void>`: that would refuse any other result, as of `list.push(event)`.
/** A listener to an event. It may be `async`; what it throws or rejects with becomes an `error` event. */
export type HoldfastListener<E extends keyof HoldfastEvents> =
  ((...args: HoldfastEvents[E]) => void) | ((...args: HoldfastEvents[E]) => Promise<void>)

/** A listener that neither throws nor rejects. */
type GuardedListener<E extends keyof HoldfastEvents> = (...args: HoldfastEvents[E]) => void

/** Where an event goes besides the listeners of its client. */
interface EventMirror<E extends keyof HoldfastEvents> {
  isWanted(): boolean
  publish(event: HoldfastEvents[E][0]): void
}

export type EventMirrors = { readonly [E in keyof HoldfastEvents]?: EventMirror<E> }

/**
 * An emitter whose listeners can break neither the code that emits nor each other: what one throws, or rejects with,
 * becomes an `error` event.
 *
 * Listeners run outside any caller's context. An event often comes from a timer or a socket that some call happened to
 * start, and a listener must not re-enter that call's hold.
 */
export class Events {
  readonly #emitter = new EventEmitter()
  readonly #outage = new OutageReports((error, count) => this.#emitCounted(error, count))
  /** Of a store that replies, and rejects the same again and again: by what it says, since it may reject one object only. */
  readonly #refusals = new Map<string, OutageReports>()
  readonly #unreachable = new UnreachableWarning()
  /** Of the warnings that the process got. */
  readonly #warned = new Set<string>()
  readonly #outside: (fn: () => void) => void
  readonly #mirrors: EventMirrors
  readonly #guards: {
    readonly [E in keyof HoldfastEvents]: WeakMap<HoldfastListener<E>, GuardedListener<E>>
  } = {
    acquired: new WeakMap(),
    granted: new WeakMap(),
    waiting: new WeakMap(),
    renewed: new WeakMap(),
    released: new WeakMap(),
    downgraded: new WeakMap(),
    resized: new WeakMap(),
    opened: new WeakMap(),
    lost: new WeakMap(),
    leaked: new WeakMap(),
    warning: new WeakMap(),
    error: new WeakMap(),
  }

  constructor(outside: (fn: () => void) => void, mirrors: EventMirrors = {}) {
    this.#outside = outside
    this.#mirrors = mirrors
  }

  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): void {
    this.#emitter.on(event, this.#guarded(event, listener))
  }

  once<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): void {
    this.#emitter.once(event, this.#guarded(event, listener))
  }

  off<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): void {
    this.#emitter.off(event, this.#guarded(event, listener))
  }

  /** Whether there are listeners. If not, callers skip the work that only the event needs. */
  hasListeners(event: keyof HoldfastEvents): boolean {
    return this.#emitter.listenerCount(event) > 0 || this.#isMirrored(event)
  }

  emit<E extends keyof HoldfastEvents>(event: E, ...args: HoldfastEvents[E]): void {
    if (this.#isMirrored(event)) this.#mirror(event, args[0])
    if (this.#emitter.listenerCount(event) > 0) this.#outside(() => this.#emitter.emit(event, ...args))
  }

  /**
   * Reports what works less well than it could. Without a listener, the process gets what means that exclusion may not hold.
   *
   * @param more - what follows the message on lines of its own, and differs each time. The process gets such a warning once
   */
  warn(code: WarningCode, message: string, more?: () => string): void {
    if (this.hasListeners('warning'))
      this.emit('warning', { code, message: more ? `${message}.\n${more()}` : message })
    const meaning = endangersLocks.get(code)
    if (meaning === undefined || this.#emitter.listenerCount('warning') > 0) return
    const text = `${message}. ${meaning} ${handleBy('warning')}`
    this.warnOnce(more ? code : message, code, () => (more ? `${text}\n${more()}` : text))
  }

  /** Reports an error that no call waits for, unless it only says what the caller knows: that the client was closed. */
  emitError(error: unknown): void {
    if (error instanceof ClosedError || error instanceof LockLostError) return
    const reported = toHoldfastError(error)
    this.#mirror('error', reported)
    if (reported instanceof UnavailableError) {
      if (this.hasListeners('error')) this.#outage.add(reported)
      else this.#unreachable.note(reported)
    } else if (this.hasListeners('error')) {
      if (reported instanceof RefusedError) this.#refusalsLike(reported).add(reported)
      else this.emit('error', reported)
    } else if (reported instanceof RefusedError || reported instanceof InvalidArgumentError) {
      const { code, message } = reported
      this.warnOnce(code, code, () => `${message.replace(/\.$/, '')}. ${handleBy('error')}`)
    }
  }

  /** The store replied for the first time, or again after a break. */
  reached(): void {
    this.#unreachable.reached()
  }

  /** Emits what was held back. Leaves no timer unless more errors are reported. */
  close(): void {
    this.#outage.close()
    for (const refusals of [...this.#refusals.values()]) refusals.close()
  }

  #refusalsLike({ message }: RefusedError): OutageReports {
    let refusals = this.#refusals.get(message)
    if (!refusals) {
      const forget = (): void => void this.#refusals.delete(message)
      refusals = new OutageReports((error, count) => this.#emitCounted(error, count), forget)
      this.#refusals.set(message, refusals)
    }
    return refusals
  }

  #emitCounted(error: HoldfastError, count: number): void {
    if (count > 1) this.emit('error', error, { count })
    else this.emit('error', error)
  }

  /** Errors are mirrored when they are reported, before those of an outage are summed up. */
  #isMirrored(event: keyof HoldfastEvents): boolean {
    return event !== 'error' && this.#mirrors[event]?.isWanted() === true
  }

  /** Has the process warned, once per client and key. */
  warnOnce(key: string, code: string, text: () => string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    warnProcess(`HOLDFAST_${code}`, text())
  }

  #mirror<E extends keyof HoldfastEvents>(event: E, message: HoldfastEvents[E][0]): void {
    const mirror: EventMirror<E> | undefined = this.#mirrors[event]
    if (!mirror?.isWanted()) return
    this.#outside(() => mirror.publish(message))
  }

  #guarded<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): GuardedListener<E> {
    if (!Object.hasOwn(this.#guards, event)) {
      throw unknownName('event', event, Object.keys(this.#guards))
    }
    const given: unknown = listener
    if (typeof given !== 'function') {
      throw new InvalidArgumentError(`a listener must be a function, got ${shown(given)}`)
    }
    const guards = this.#guards[event]
    const known = guards.get(listener)
    if (known) return known
    const report = (cause: unknown): void => {
      const message = `a listener of the ${event} event threw`
      // An error listener that throws would be called for its own error.
      if (event !== 'error') this.emitError(new HoldfastError(message, { cause }))
      if (event !== 'error' && this.hasListeners('error')) return
      warnProcessOnce('HOLDFAST_LISTENER_THREW', () => `${message}. ${listenerAdvice}\n${stackOf(cause)}`)
    }
    const run: (...args: HoldfastEvents[E]) => unknown = listener
    const guarded = (...args: HoldfastEvents[E]): void => {
      try {
        const returned = run(...args)
        if (isThenable(returned)) Promise.resolve(returned).catch(report)
      } catch (error) {
        report(error)
      }
    }
    guards.set(listener, guarded)
    return guarded
  }
}

const listenerAdvice =
  "What listeners throw goes to the client's 'error' event; without a listener there, or if that one throws, this is shown once per process."

const stackOf = (thrown: unknown): string =>
  types.isNativeError(thrown) && thrown.stack !== undefined ? thrown.stack : shown(thrown)

/** Checks the shape: a promise from another realm or library is not an instance of this realm's class. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** At most one report in this time. */
const windowMs = 1_000

/**
 * Errors of one outage: there may be thousands, one for each waiter and attempt. The first is reported at once, then the
 * latest of each second, with the number of errors that it stands for.
 */
export class OutageReports {
  readonly #report: (error: HoldfastError, count: number) => void
  readonly #onIdle: (() => void) | undefined
  /** When the last report was made; nothing is held back for longer than one window. */
  #reportedAt = -Infinity
  #latest: HoldfastError | undefined
  #count = 0
  #timer: NodeJS.Timeout | undefined

  /** @param onIdle - called after a second without an error, and at the end */
  constructor(report: (error: HoldfastError, count: number) => void, onIdle?: () => void) {
    this.#report = report
    this.#onIdle = onIdle
  }

  add(error: HoldfastError): void {
    this.#latest = error
    this.#count++
    // Fake timers of a test may have come or gone since: then the timer may never fire, and time seems to run backwards.
    const sinceMs = monotonicMs() - this.#reportedAt
    if (sinceMs < 0 || sinceMs >= windowMs) this.flush()
  }

  flush(): void {
    clearTimeout(this.#timer)
    const error = this.#latest
    if (!error) {
      this.#onIdle?.()
      return
    }
    const count = this.#count
    this.#latest = undefined
    this.#count = 0
    this.#reportedAt = monotonicMs()
    this.#timer = setTimeout(() => this.flush(), windowMs)
    // This timer must not keep the process alive.
    this.#timer.unref()
    this.#report(error, count)
  }

  close(): void {
    this.flush()
    clearTimeout(this.#timer)
  }
}

/** Of the warnings that are given once per process. */
const given = new Set<string>()

/** Node.js prints it to stderr, unless the program listens to the warnings of its process. */
export function warnProcess(code: string, text: string): void {
  process.emitWarning(text, { type: 'HoldfastWarning', code })
}

/** The same, once in the life of the process. */
export function warnProcessOnce(code: string, text: () => string): void {
  if (given.has(code)) return
  given.add(code)
  warnProcess(code, text())
}

/** Once the store has been reached, shorter outages are not reported. */
const blipMs = 2_000

/**
 * Warns on the console that the store cannot be reached, if the program does not listen to `error` events: at once if the
 * store was never reached, and once for each outage.
 */
export class UnreachableWarning {
  #wasReached = false
  #unreachableSince: number | undefined
  #isWarned = false

  /** The store replied for the first time, or again after a break. */
  reached(): void {
    this.#wasReached = true
    this.#unreachableSince = undefined
    this.#isWarned = false
  }

  note(error: UnavailableError): void {
    this.#unreachableSince ??= monotonicMs()
    if (this.#isWarned) return
    if (this.#wasReached && monotonicMs() - this.#unreachableSince < blipMs) return
    this.#isWarned = true
    warnProcess(
      'HOLDFAST_UNAVAILABLE',
      `${error.message.replace(/\.$/, '')}. Holdfast keeps trying to reach it. To handle outages, listen to the client's 'error' event; without a listener this is shown once per outage.`,
    )
  }
}
