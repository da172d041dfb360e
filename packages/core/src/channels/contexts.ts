import type { HoldfastError, LockLostError, LossReason } from '../errors/errors.js'
import type { HoldfastEvents } from '../events/events.js'
import type { ObjectKind } from '../engine/requests.js'

/** The client that a message comes from. */
export interface ClientContext {
  /** The first part of all owners of the client. */
  readonly clientId: string
  /** The engine that it uses, such as `redis`. */
  readonly engine: string
}

/**
 * How an acquisition ended.
 *
 * - `acquired`: the caller has the hold; `passed`: the latch that was waited for is open
 * - `busy`: another owner had it, and the call was not to wait
 * - `timeout`: another owner kept it for all of `waitMs`, or the latch stayed closed
 * - `aborted`: by the signal of the call
 * - `closed`, `unavailable`, `refused`, `replication`, `too-many-waiters`, `gone`, `lost`: the call rejected with the error
 *   of that `code`
 * - `error`: it rejected with any other error
 */
export type AcquireOutcome =
  | 'acquired'
  | 'passed'
  | 'busy'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'unavailable'
  | 'refused'
  | 'replication'
  | 'too-many-waiters'
  | 'gone'
  | 'lost'
  | 'error'

/**
 * `tracing:holdfast:acquire:*`: one outermost acquisition, or one wait for a latch, from the call to its end. Calls that re-enter
 * a hold are not acquisitions.
 */
export interface AcquireContext extends ClientContext {
  /** As given to `getLock` and so on; of a multi lock all names, in the order of acquiring. */
  readonly name: string
  readonly kind: ObjectKind | 'multi-lock'
  /** `undefined` for a multi lock: each member has an owner of its own. */
  readonly owner: string | undefined
  /** Whether another owner was in the way, as far as is known now: a reply said so. May become true while it runs. */
  readonly contended: boolean
  /** Whether the call itself said `waitMs: Infinity`: it means to wait for as long as it takes, as the standby of a leader does. */
  readonly standby: boolean
  /** Set at the end. */
  outcome?: AcquireOutcome
  /** Set at the end: how long the caller waited, milliseconds. */
  waitedMs?: number
  /** Set at the end if the call rejected. */
  error?: unknown
}

/** `tracing:holdfast:hold:*`: one hold, from the moment when this client has it until it is released, has ended or is lost. */
export interface HoldContext extends ClientContext {
  readonly name: string
  /** As acquired; a write lock that is downgraded stays one here. */
  readonly kind: ObjectKind
  readonly owner: string
  /** 0 if it has none. */
  readonly fencingToken: number
  /**
   * Set at the end. `ended`: its fixed lease (`leaseMs`) or its limit (`maxHoldMs`) ran to its end; the call says whether work was cut
   * off by that, by rejecting with `LockLostError`.
   */
  end?: 'released' | 'ended' | 'lost'
  /** Set at the end if it was lost. */
  reason?: LossReason
  /** Set at the end if it was lost. */
  error?: LockLostError
  /** Set at the end, milliseconds. */
  heldMs?: number
}

/** One of the holds that a renewal is for. */
export interface RenewedHold {
  readonly name: string
  readonly kind: ObjectKind
  readonly owner: string
  /** `unknown`: no reply; the hold keeps its old deadline and is renewed again soon. */
  readonly outcome: 'renewed' | 'lost' | 'unknown'
  /**
   * The share of the lease that was left when the renewal was confirmed, from 0 to 1: about 0.65 when all is well, because
   * leases are renewed after a third of their time. `undefined` if it was not confirmed, and for a hold that is not renewed
   * periodically and was only checked.
   */
  readonly margin: number | undefined
}

/**
 * `tracing:holdfast:renew:*`: one command that renews holds; up to 500 of them share one. Of a quorum lock each master is
 * sent its own.
 */
export interface RenewContext extends ClientContext {
  /** How many holds it is for. */
  readonly count: number
  /** Set at the end, in no order. */
  holds?: readonly RenewedHold[]
  /** Set at the end. `lost`: at least one of the holds is gone at the store; `failed`: no reply came, or a refusal. */
  outcome?: 'renewed' | 'lost' | 'failed'
  /** Set at the end if it failed. */
  error?: unknown
}

/** `tracing:holdfast:release:*`: the release of a whole hold, as long as its caller waits for it. */
export interface ReleaseContext extends ClientContext {
  readonly name: string
  readonly kind: ObjectKind
  readonly owner: string
  /**
   * Set at the end. `not-held`: the store no longer counted the owner as the holder, so the hold is lost; `unconfirmed`: no
   * reply came within `commandTimeoutMs`, or before the lease expired; `failed`: the call rejected.
   */
  outcome?: 'released' | 'not-held' | 'unconfirmed' | 'failed'
  /** Set at the end if it failed. */
  error?: unknown
}

/** `holdfast:granted`: a release handed the lock to a waiter of this client. */
export type GrantedMessage = ClientContext & HoldfastEvents['granted'][0]

/** `holdfast:lost`: a hold ended, or may have ended, without being released. */
export type LostMessage = ClientContext & HoldfastEvents['lost'][0]

/** `holdfast:revoked`: the same for those holds that `forceUnlock` or `forceRelease` evicted. `holdfast:lost` has them too. */
export type RevokedMessage = LostMessage

/** `holdfast:warning`: something is degraded but still works. */
export type WarningMessage = ClientContext & HoldfastEvents['warning'][0]

/** `holdfast:error`: an error that no call waits for. Every single one, where the `error` event sums up those of an outage. */
export interface ErrorMessage extends ClientContext {
  readonly error: HoldfastError
}

/**
 * `holdfast:connection`: what became of a client's connections.
 *
 * - `connected`: the first-use checks have passed, or commands can be sent again after a break
 * - `broken`: a connection for commands broke
 * - `subscribed`: notifications arrive from now on
 * - `unsubscribed`: notifications stopped; waiters request again once a second until they are back
 */
export interface ConnectionMessage extends ClientContext {
  /** Names the store, such as `Redis at 127.0.0.1:6379`. */
  readonly store: string
  readonly state: 'connected' | 'broken' | 'subscribed' | 'unsubscribed'
}

/** What is published under which name: `tracingChannel(name)` for the first four, `channel(name)` for the others. */
export interface HoldfastChannels {
  /** An outermost acquisition, or a wait for a latch, from the call to its end. A nested call publishes nothing. */
  'holdfast:acquire': AcquireContext
  /** A hold, from its grant until it is released, has ended or is lost. A multi lock has one for each member. */
  'holdfast:hold': HoldContext
  /** A command that renews holds: up to 500 share one. A quorum lock has one for each master. */
  'holdfast:renew': RenewContext
  /** The release of a whole hold, from sending it to the reply. */
  'holdfast:release': ReleaseContext
  /** A release handed the lock to a waiter of this process. `handOffMs`: how long the notification took. */
  'holdfast:granted': GrantedMessage
  /** A hold ended, or may have ended, without being released. `error.reason` says why. */
  'holdfast:lost': LostMessage
  /** A hold was lost to `forceUnlock` or `forceRelease`. `holdfast:lost` publishes it as well. */
  'holdfast:revoked': RevokedMessage
  /** Something is degraded but still works. */
  'holdfast:warning': WarningMessage
  /** The store did not reply, or a background task failed. Every error is published; the event sums up those of an outage. */
  'holdfast:error': ErrorMessage
  /** A connection was made or broke, or notifications started or stopped arriving. */
  'holdfast:connection': ConnectionMessage
}
