import type { WarningCode } from '../events/events.js'
import type { ClientInfo } from './replies.js'

/** A grant, as its notification reports it. */
export interface GrantNotice {
  /** That of the queue entry, see {@link AcquireRequest.proof}. */
  readonly proof: string
  readonly token: number
  /** The lease that the granted hold began with, milliseconds. */
  readonly leaseMs: number
  /** The store's clock at the grant, microseconds, if replies carry it too. */
  readonly serverUs?: number | undefined
  /** By {@link EngineHost.now}, an instant not later than the grant, from a session that knows one. Then `serverUs` is not needed. */
  readonly grantedAt?: number | undefined
}

/**
 * What a session may use of its client, and how it reports to it. None of these throws.
 *
 * Call them from a context of the session's own, not from within another client's step: listeners of the application run
 * in them. A notification may arrive before the reply to the step that it is about.
 */
export interface EngineHost {
  /** The first part of all owners of the client: `<clientId>:<n>`, see {@link clientOf}. */
  readonly clientId: string
  /** What to register the client with. */
  readonly client: ClientInfo
  /** How long the client's registration is to live, and how long a queue entry lives unless refreshed, milliseconds. */
  readonly watchdogTimeoutMs: number
  /** How often the client renews, refreshes and registers itself; also a good interval for trying a quiet connection. */
  readonly renewEveryMs: number
  /** How long a step without a bound of its own may take, milliseconds. */
  readonly commandTimeoutMs: number
  /** The clock of deadlines, milliseconds: never steps, and follows fake timers of tests. */
  now(): number
  /**
   * A release or another owner's request made `owner` the holder. Believed only with the proof of the queue entry; with any
   * other it is a reason to look, and bounded in rate as the reasons below are.
   *
   * @param id - of the lock's address
   */
  granted(id: string, owner: string, grant: GrantNotice): void
  /** The hold of `owner` was forced open, it is said: a reason to look. The next renewal, sent at once, tells. */
  revoked(owner: string): void
  /**
   * It may be the turn of `owner`; without one, of the client's first waiter for this lock. That waiter requests again. The
   * next refresh, at the latest after a third of `watchdogTimeoutMs`, makes up for a lost wake-up.
   */
  wake(id: string, owner?: string): void
  /**
   * A latch opened that this client waits for, it is said: a reason to look. The state of the latch decides.
   *
   * @param id - of the latch's address
   */
  opened(id: string, generation: number): void
  /** Another client sent this text with {@link OperatorSession.send}. */
  onMessage(text: string): void
  /** Notifications may have been missed, about one lock or all: waiters check their state. */
  missed(id?: string): void
  /** From now on no notifications arrive, until `missed` is called. */
  unsubscribed(cause: Error): void
  /**
   * A connection for steps broke, or the client's session at the store ended: replies to what was in flight are lost.
   * `reconnected` follows.
   */
  broken(): void
  /** Connections work again after a break: holders and waiters check their state. */
  reconnected(): void
  /** Emits a `warning`. */
  warn(code: WarningCode, message: string): void
  /** Emits an `error` event for something that no call of the client waits for. */
  error(error: unknown): void
}
