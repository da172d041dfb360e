import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import type { ObjectKind } from '../engine/requests.js'
import {
  HoldfastError,
  type HoldfastErrorCode,
  type LockLostError,
  type LossReason,
} from '../errors/errors.js'
import type { EventMirrors, HoldfastEvents } from '../events/events.js'
import type { Request } from '../options/options.js'
import { monotonicMs } from '../time/time.js'
import { outsideAllCalls, type InContext } from '../util/lists.js'

type Operation = 'acquire' | 'hold' | 'renew' | 'release'
type Point = 'granted' | 'lost' | 'revoked' | 'warning' | 'error' | 'connection'

const operation = <O extends Operation>(
  name: O,
): TracingChannel<unknown, HoldfastChannels[`holdfast:${O}`]> =>
  tracingChannel<unknown, HoldfastChannels[`holdfast:${O}`]>(`holdfast:${name}`)

/** What lasts. One set per process: both builds of this package publish to the same channels. */
const operations = {
  acquire: operation('acquire'),
  hold: operation('hold'),
  renew: operation('renew'),
  release: operation('release'),
}

/** What happens at one instant. */
const points: Record<Point, Channel> = {
  granted: channel('holdfast:granted'),
  lost: channel('holdfast:lost'),
  revoked: channel('holdfast:revoked'),
  warning: channel('holdfast:warning'),
  error: channel('holdfast:error'),
  connection: channel('holdfast:connection'),
}

const isPointObserved = (point: Point): boolean => points[point].hasSubscribers

/** In the context of no call: a timer or a socket may come from one that has nothing to do with the message. */
function publishPoint<P extends Point>(point: P, message: HoldfastChannels[`holdfast:${P}`]): void {
  outsideAllCalls(() => points[point].publish(message))
}

// Not `traced.hasSubscribers`: Node.js 20 does not promise it.
/** Whether anyone listens. If not, no context is built. */
const isObserved = (operation: Phases): boolean =>
  operation.start.hasSubscribers ||
  operation.end.hasSubscribers ||
  operation.asyncStart.hasSubscribers ||
  operation.asyncEnd.hasSubscribers ||
  operation.error.hasSubscribers

type Phases = Readonly<
  Record<'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error', { hasSubscribers: boolean }>
>

/** Of the call that runs several acquisitions as one, whose parts run in the context of the acquisition as a whole. */
const contextOfWhole = new AsyncLocalStorage<InContext>()

/** A hold, as far as messages need to know it. */
export interface TracedHold {
  readonly address: { readonly name: string }
  readonly kind: ObjectKind
  readonly owner: string
  readonly fencingToken: number
  readonly loss: LockLostError | undefined
}

type ReleaseOutcome = Exclude<NonNullable<ReleaseContext['outcome']>, 'failed'>

/** Publishes what one client does to those who listen, and finds their context. A client without it publishes nothing. */
export class Channels {
  readonly #client: ClientContext
  /** Beside the holds, not in them: a hold that no one listened to costs no memory. */
  #contexts: WeakMap<TracedHold, { readonly context: HoldContext; readonly beganAt: number }> | undefined

  constructor(client: ClientContext) {
    this.#client = client
  }

  /** Of events. */
  get mirrors(): EventMirrors {
    return mirrorsOf(this.#client)
  }

  /** Publishes what becomes of the connection to a store. @param store - names it */
  connectionTo(store: string): ConnectionChannel {
    return new ConnectionChannel({ ...this.#client, store })
  }

  get wantsAcquisitions(): boolean {
    return isObserved(operations.acquire)
  }

  /** Publishes an acquisition. Ask {@link Channels.wantsAcquisitions} first. */
  acquire<T>(acquisition: TracedAcquisition, run: () => Promise<T>): Promise<T> {
    return traceAcquire(acquisition, run)
  }

  /**
   * The context of the running call, for the hold that a timer or a socket will begin in its name; `undefined` if no one listens.
   * Those who make spans find that of the caller in it.
   */
  contextOfCall(): InContext | undefined {
    return isObserved(operations.hold)
      ? (contextOfWhole.getStore() ?? AsyncLocalStorage.snapshot())
      : undefined
  }

  /** Runs the parts of an acquisition, whose holds begin in that context. */
  inWhole<T>(inContext: InContext, acquireParts: () => T): T {
    return contextOfWhole.run(inContext, acquireParts)
  }

  /** Publishes one command that renews these holds. What `run` resolves with is about them, in the same order. */
  renew(
    holds: readonly Renewed[],
    run: () => Promise<readonly RenewedHold['outcome'][]>,
  ): Promise<readonly RenewedHold['outcome'][]> {
    return traceRenew(this.#client, holds, run)
  }

  began(hold: TracedHold): void {
    if (!isObserved(operations.hold)) return
    const { start, end } = operations.hold
    const context: HoldContext = { ...this.#subjectOf(hold), fencingToken: hold.fencingToken }
    this.#contexts ??= new WeakMap()
    this.#contexts.set(hold, { context, beganAt: monotonicMs() })
    start.publish(context)
    end.publish(context)
  }

  ended(hold: TracedHold, end: NonNullable<HoldContext['end']>): void {
    const begun = this.#contexts?.get(hold)
    if (!begun) return
    const { context, beganAt } = begun
    context.heldMs = monotonicMs() - beganAt
    context.end = end
    if (hold.loss && end === 'lost') {
      context.reason = hold.loss.reason
      context.error = hold.loss
      operations.hold.error.publish(context)
    }
    publishEnd(operations.hold, context)
  }

  get wantsReleases(): boolean {
    return isObserved(operations.release)
  }

  /** @param outcomeOf - what the reply says of the hold */
  release<T>(hold: TracedHold, send: () => Promise<T>, outcomeOf: (reply: T) => ReleaseOutcome): Promise<T> {
    if (!isObserved(operations.release)) return send()
    const context: ReleaseContext = this.#subjectOf(hold)
    return trace(operations.release, context, send, {
      resolved: (reply) => {
        context.outcome = outcomeOf(reply)
      },
      rejected: (error) => {
        context.outcome = 'failed'
        context.error = error
      },
    })
  }

  #subjectOf({ address: { name }, kind, owner }: TracedHold): Omit<ReleaseContext, 'outcome' | 'error'> {
    const { clientId, engine } = this.#client
    return { clientId, engine, name, kind, owner }
  }
}

/** Publishes what becomes of the connection of one client to its store, until the client ends it. */
export class ConnectionChannel {
  readonly #subject: Omit<ConnectionMessage, 'state'>
  #isClosed = false

  constructor(subject: Omit<ConnectionMessage, 'state'>) {
    this.#subject = subject
  }

  publish(state: ConnectionMessage['state']): void {
    if (!this.#isClosed && isPointObserved('connection'))
      publishPoint('connection', { ...this.#subject, state })
  }

  close(): void {
    this.#isClosed = true
  }
}

/** Publishes some events of a client to the whole process as well. */
const mirrorsOf = (client: ClientContext): EventMirrors => ({
  granted: {
    isWanted: () => isPointObserved('granted'),
    publish: (event) => publishPoint('granted', { ...client, ...event }),
  },
  lost: {
    isWanted: () => isPointObserved('lost') || isPointObserved('revoked'),
    publish: (event) => {
      const message = { ...client, ...event }
      publishPoint('lost', message)
      if (event.error.reason === 'revoked') publishPoint('revoked', message)
    },
  },
  warning: {
    isWanted: () => isPointObserved('warning'),
    publish: (event) => publishPoint('warning', { ...client, ...event }),
  },
  error: {
    isWanted: () => isPointObserved('error'),
    publish: (error) => publishPoint('error', { ...client, error }),
  },
})

/** What is acquired, by whom, and how the call may end. */
export interface TracedAcquisition {
  readonly subject: Pick<AcquireContext, 'clientId' | 'engine' | 'name' | 'kind' | 'owner'>
  readonly request: Request
  /** When the caller wanted it. */
  readonly wantedSince: number
  /** Whether another owner was in the way so far. */
  isContended(): boolean
}

function traceAcquire<T>(acquisition: TracedAcquisition, run: () => Promise<T>): Promise<T> {
  const { subject, request, wantedSince } = acquisition
  const context: AcquireContext = {
    ...subject,
    standby: request.isStandby ?? false,
    get contended() {
      return acquisition.isContended()
    },
  }
  const over = (outcome: AcquireOutcome): void => {
    context.outcome = outcome
    context.waitedMs = monotonicMs() - wantedSince
  }
  return trace(operations.acquire, context, run, {
    resolved: (result) => over(outcomeOf(result, request)),
    rejected: (error) => {
      context.error = error
      const { signal } = request
      over(signal?.aborted === true && error === signal.reason ? 'aborted' : outcomeOfError(error))
    },
  })
}

function outcomeOf(result: unknown, { waitMs, heir }: Request): AcquireOutcome {
  // What was acquired has no kind, or that of its object.
  const kind = typeof result === 'object' && result !== null && 'kind' in result ? result.kind : undefined
  if (kind === 'passed') return 'passed'
  if (kind !== 'not-acquired') return 'acquired'
  return waitMs === 0 || heir !== undefined ? 'busy' : 'timeout'
}

const outcomes: Partial<Record<HoldfastErrorCode, AcquireOutcome>> = {
  CLOSED: 'closed',
  UNAVAILABLE: 'unavailable',
  REFUSED: 'refused',
  REPLICATION: 'replication',
  TOO_MANY_WAITERS: 'too-many-waiters',
  LATCH_GONE: 'gone',
  LOCK_LOST: 'lost',
}

const outcomeOfError = (error: unknown): AcquireOutcome =>
  (error instanceof HoldfastError ? outcomes[error.code] : undefined) ?? 'error'

interface Renewed {
  readonly address: { readonly name: string }
  readonly kind: ObjectKind
  readonly owner: string
  readonly leaseLeft: number
  /** `null`: it is not renewed periodically. */
  readonly renewEveryMs: number | null
}

function traceRenew(
  client: ClientContext,
  holds: readonly Renewed[],
  run: () => Promise<readonly RenewedHold['outcome'][]>,
): Promise<readonly RenewedHold['outcome'][]> {
  if (!isObserved(operations.renew)) return run()
  const context: RenewContext = { ...client, count: holds.length }
  return trace(operations.renew, context, run, {
    // Before the holds take the replies, so that their old deadlines still stand.
    resolved: (outcomes) => {
      context.holds = holds.map((hold, i) => describe(hold, outcomes[i] ?? 'unknown'))
      context.outcome = outcomes.includes('lost') ? 'lost' : 'renewed'
    },
    rejected: (error) => {
      context.holds = holds.map((hold) => describe(hold, 'unknown'))
      context.outcome = 'failed'
      context.error = error
    },
  })
}

function describe(hold: Renewed, outcome: RenewedHold['outcome']): RenewedHold {
  const { address, kind, owner, leaseLeft, renewEveryMs } = hold
  const isTimely = outcome === 'renewed' && renewEveryMs !== null
  return { name: address.name, kind, owner, outcome, margin: isTimely ? leaseLeft : undefined }
}

interface Settlement<T> {
  resolved(result: T): void
  rejected(error: unknown): void
}

/**
 * Publishes an operation in the order of `tracePromise`: start, end when the call has returned, then for its result asyncStart and
 * asyncEnd, and before them error if it rejected.
 *
 * Returns the operation's own promise, where `tracePromise` returns another one: a caller that handles rejections on the
 * first would leave the second unhandled.
 */
function trace<C extends object, T>(
  channel: TracingChannel<unknown, C>,
  context: C,
  run: () => Promise<T>,
  settlement: Settlement<T>,
): Promise<T> {
  return channel.start.runStores(context, () => {
    const promise = run()
    channel.end.publish(context)
    promise.then(
      (result) => {
        settlement.resolved(result)
        publishEnd(channel, context)
      },
      (error: unknown) => {
        settlement.rejected(error)
        channel.error.publish(context)
        publishEnd(channel, context)
      },
    )
    return promise
  })
}

/** Publishes that an operation is over that had no promise, or whose promise is settled. */
function publishEnd<C extends object>(channel: TracingChannel<unknown, C>, context: C): void {
  channel.asyncStart.publish(context)
  channel.asyncEnd.publish(context)
}

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
