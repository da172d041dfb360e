import { EventEmitter } from 'eventemitter3'
import { HoldfastError } from './errors.js'
import type { LockLostError } from './errors.js'

/** The lock and owner that an event is about. */
export interface LockEvent {
  readonly name: string
  readonly owner: string
}

/** Events of a `Holdfast` client. Each carries one object. */
export interface HoldfastEvents {
  /** A hold was entered: acquired, or re-entered (`holdCount` above 1). */
  acquired: [event: LockEvent & { holdCount: number; fencingToken: number; waitedMs: number }]
  /** A release elsewhere handed the lock to a waiter of this client. */
  granted: [event: LockEvent & { fencingToken: number }]
  /**
   * An acquisition began to wait. `behindOwnClient`: the holder is this very client; if the waiting code runs
   * inside that hold without being called through `withLock`, `lease.run` or a scope, it waits for itself.
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
  /** Something works less well than it could. */
  warning: [event: { code: WarningCode; message: string }]
  /** Redis did not answer or a background task failed; waits and renewals go on. */
  error: [error: HoldfastError]
}

/**
 * - `EVICTION_POLICY`: the server may evict locks when its memory is full
 * - `SERVER_UNKNOWN`: the server's version, role and eviction policy could not be read
 * - `NOTICE_REFUSED`: Redis refused to publish a notice; the waiter learns of its grant later
 * - `RELEASE_UNCONFIRMED`: no answer to a release before the lease ended by itself
 */
export type WarningCode = 'EVICTION_POLICY' | 'SERVER_UNKNOWN' | 'NOTICE_REFUSED' | 'RELEASE_UNCONFIRMED'

/**
 * An emitter whose listeners cannot break the code that emits: what one throws becomes an `error` event, and the
 * listeners after it do not hear the event.
 *
 * Listeners run in no caller's context. An event often comes from a timer or a socket that some call happened to start,
 * and a listener must not re-enter that call's hold.
 */
export class Events extends EventEmitter<HoldfastEvents> {
  readonly #outside: (fn: () => boolean) => boolean

  constructor(outside: (fn: () => boolean) => boolean) {
    super()
    this.#outside = outside
  }

  override emit<E extends keyof HoldfastEvents>(
    event: E,
    ...args: EventEmitter.EventArgs<HoldfastEvents, E>
  ): boolean {
    if (this.listenerCount(event) === 0) return false
    try {
      return this.#outside(() => super.emit(event, ...args))
    } catch (cause) {
      if (event !== 'error') {
        this.emit('error', new HoldfastError(`a listener of the ${event} event threw`, { cause }))
      }
      return true
    }
  }
}
