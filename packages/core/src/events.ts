import { inspect } from 'node:util'
import { EventEmitter } from 'eventemitter3'
import { ClosedError, HoldfastError, InvalidArgumentError, LockLostError } from './errors.js'
import { toHoldfastError } from './store-errors.js'

/** The lock and owner that an event is about. */
export interface LockEvent {
  /** The name given to `getLock`. */
  readonly name: string
  /** `<clientId>:<n>` */
  readonly owner: string
}

/** Events of a `Holdfast` client. Each carries one object. */
export interface HoldfastEvents {
  /**
   * A hold was entered: acquired, or re-entered (`holdCount` above 1). `fencingToken` is 0 if the hold has no token, which
   * happens only with `interop`, and with engines that have none.
   */
  acquired: [event: LockEvent & { holdCount: number; fencingToken: number; waitedMs: number }]
  /** A release handed the lock to a waiter of this client. */
  granted: [event: LockEvent & { fencingToken: number }]
  /**
   * An acquisition began to wait. `behindOwnClient`: the holder is this very client; if the waiting code runs
   * inside that hold but was not called through `withLock`, `lease.run` or a scope, this is a self-deadlock.
   */
  waiting: [event: LockEvent & { holder: string; position: number; behindOwnClient: boolean }]
  /** The watchdog renewed a hold. */
  renewed: [event: LockEvent & { remainingMs: number }]
  /** A hold was left; `holdCount` is what remains of it. */
  released: [event: LockEvent & { holdCount: number }]
  /** A hold ended, or may have ended, without being released. */
  lost: [event: LockEvent & { error: LockLostError }]
  /** A scope ended with this lock still held, and released it. */
  leaked: [event: LockEvent]
  /** Something is degraded but still works. */
  warning: [event: { code: WarningCode; message: string }]
  /** The store did not reply or a background task failed; waits and renewals go on. */
  error: [error: HoldfastError]
}

/**
 * - `EVICTION_POLICY`: the server may evict locks when its memory is full
 * - `SERVER_UNKNOWN`: the server's version, role and eviction policy could not be read
 * - `NOTICE_REFUSED`: the store refused to deliver a notification; the waiter learns of its grant later
 * - `RELEASE_UNCONFIRMED`: a release was not acknowledged before the lease expired on its own
 */
export type WarningCode = 'EVICTION_POLICY' | 'SERVER_UNKNOWN' | 'NOTICE_REFUSED' | 'RELEASE_UNCONFIRMED'

/** What listens to an event. */
export type HoldfastListener<E extends keyof HoldfastEvents> = (...args: HoldfastEvents[E]) => void

/**
 * An emitter whose listeners can break neither the code that emits nor each other: what one throws, or rejects with,
 * becomes an `error` event.
 *
 * Listeners run in no caller's context. An event often comes from a timer or a socket that some call happened to start,
 * and a listener must not re-enter that call's hold.
 */
export class Events {
  readonly #emitter = new EventEmitter()
  readonly #outside: (fn: () => void) => void
  readonly #guards: {
    readonly [E in keyof HoldfastEvents]: WeakMap<HoldfastListener<E>, HoldfastListener<E>>
  } = {
    acquired: new WeakMap(),
    granted: new WeakMap(),
    waiting: new WeakMap(),
    renewed: new WeakMap(),
    released: new WeakMap(),
    lost: new WeakMap(),
    leaked: new WeakMap(),
    warning: new WeakMap(),
    error: new WeakMap(),
  }

  constructor(outside: (fn: () => void) => void) {
    this.#outside = outside
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

  /** Whether there are listeners: without one, what only the event needs is not computed. */
  hasListeners(event: keyof HoldfastEvents): boolean {
    return this.#emitter.listenerCount(event) > 0
  }

  emit<E extends keyof HoldfastEvents>(event: E, ...args: HoldfastEvents[E]): void {
    if (!this.hasListeners(event)) return
    this.#outside(() => this.#emitter.emit(event, ...args))
  }

  /** Reports an error that no call waits for, unless it only says what the caller knows: that the client was closed. */
  emitError(error: unknown): void {
    if (error instanceof ClosedError || error instanceof LockLostError) return
    this.emit('error', toHoldfastError(error))
  }

  #guarded<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): HoldfastListener<E> {
    if (!Object.hasOwn(this.#guards, event)) {
      throw new InvalidArgumentError(`there is no event ${inspect(event)}`)
    }
    const given: unknown = listener
    if (typeof given !== 'function') {
      throw new InvalidArgumentError(`a listener must be a function, got ${inspect(given)}`)
    }
    const guards = this.#guards[event]
    const known = guards.get(listener)
    if (known) return known
    const report = (cause: unknown): void => {
      // An error listener that throws would be called for its own error.
      if (event === 'error') return
      this.emit('error', new HoldfastError(`a listener of the ${event} event threw`, { cause }))
    }
    // A listener whose type says that it returns nothing may be an async function.
    const run: (...args: HoldfastEvents[E]) => unknown = listener
    const guarded = (...args: HoldfastEvents[E]): void => {
      try {
        const returned = run(...args)
        if (returned instanceof Promise) returned.catch(report)
      } catch (error) {
        report(error)
      }
    }
    guards.set(listener, guarded)
    return guarded
  }
}
