import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import { HoldfastError, type HoldfastErrorCode, type LockLostError } from '../errors/errors.js'
import type { EventMirrors } from '../events/events.js'
import type { Request } from '../options/options.js'
import type { ObjectKind } from '../engine/requests.js'
import { outsideAllCalls, type InContext } from '../util/background.js'
import { monotonicMs } from '../time/time.js'
import type {
  AcquireContext,
  AcquireOutcome,
  ClientContext,
  ConnectionMessage,
  HoldContext,
  HoldfastChannels,
  ReleaseContext,
  RenewContext,
  RenewedHold,
} from './contexts.js'

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
