import type { Awaited } from '../engine/latch.js'
import { clientOf, titleOf } from '../engine/requests.js'
import type { ObjectKind, Target } from '../engine/requests.js'
import { ClosedError, LatchGoneError, TooManyWaitersError, UnavailableError } from '../errors/errors.js'
import type { HoldfastError, HoldfastErrorDetails } from '../errors/errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Events, LockEvent } from '../events/events.js'
import { warnProcessOnce } from '../events/outage-reports.js'
import type { Request } from '../options/options.js'
import type { Turns } from '../ownership/turns.js'
import { monotonicMs } from '../util/clock.js'
import type { Obstacle } from './waiter-table.js'

/** A latch was open, or opened during the wait. */
export interface Passed {
  readonly kind: 'passed'
  readonly generation: number
}

/** Other owners kept the object, or the latch stayed closed. */
export interface NotAcquired {
  readonly kind: 'not-acquired'
  readonly name: string
  readonly objectKind: ObjectKind
  /** The owner that waited; `undefined` for a call that had not requested the object yet. */
  readonly owner: string | undefined
  /** The holder as far as known; '' when the lock was free but set aside, `undefined` when not known. */
  readonly holder: string | undefined
  /** The position in the queue; 0 when not queued. */
  readonly position: number
  /** How old holder and position were then, milliseconds; `undefined` if that is not known. */
  readonly stateAgeMs?: number | undefined
  /** For how long at least the holder had held it then, milliseconds; `undefined` if that is not known. */
  readonly heldMs?: number | undefined
  readonly waitedMs: number
  /** Of a latch: whether no count was set, `stateAgeMs` ago. */
  readonly isUnset?: boolean
  /** Whether the call was still behind others of its scope. */
  readonly isBehindScope?: boolean
  /** Whether the holder is a hold around the caller, which this call must not re-enter. */
  readonly isBehindItself?: boolean
  /** Where another callback in the caller's own hold was called, which was in the way; `''` if that is not known. */
  readonly sibling?: string
}

/** The time was over before the store had replied, or before the object was requested at all. Says nothing of the store. */
export const notReplied = (
  { kind, address: { name } }: Pick<Target, 'kind' | 'address'>,
  owner: string | undefined,
  waitedMs: number,
): NotAcquired => ({
  kind: 'not-acquired',
  name,
  objectKind: kind,
  owner,
  holder: undefined,
  position: 0,
  waitedMs,
})

/** Who wants what. */
interface Reported {
  readonly target: Target
  readonly owner: string
}

/** The hold around the caller that it must not re-enter, if there is one. */
type Inside = Request['inside']

/**
 * Whether that hold is what keeps it out. A writer waits for all readers, whichever of them was named.
 */
const isBehindItself = ({ kind }: Pick<Target, 'kind'>, holder: string, inside: Inside): boolean =>
  inside !== undefined && !inside.isOver && (kind === 'write-lock' || inside.owner === holder)

/** Who learns what a wait does: the application, or the ballot that it is to get a vote for. */
export interface WaitReports {
  /** Another owner is in the way. @param clientId - of the client that waits */
  waiting(
    waiter: Reported,
    obstacle: Pick<Obstacle, 'holder' | 'position'>,
    clientId: string,
    inside: Inside,
  ): void
  /** A release handed it over. @param handOffMs - how long that took to arrive; `undefined` if it is not known */
  granted(waiter: Reported, fencingToken: number, handOffMs: number | undefined): void
  error(error: unknown): void
}

/** Reports to the listeners of a client. */
export class WaitEvents implements WaitReports {
  readonly #events: Events

  constructor(events: Events) {
    this.#events = events
  }

  waiting(
    waiter: Reported,
    { holder, position }: Pick<Obstacle, 'holder' | 'position'>,
    clientId: string,
    inside: Inside,
  ): void {
    if (!this.#events.hasListeners('waiting')) return
    const behindOwnClient = clientOf(holder) === clientId
    const behindItself = isBehindItself(waiter.target, holder, inside)
    this.#events.emit('waiting', { ...subjectOf(waiter), holder, position, behindOwnClient, behindItself })
  }

  granted(waiter: Reported, fencingToken: number, handOffMs: number | undefined): void {
    if (!this.#events.hasListeners('granted')) return
    const event = { ...subjectOf(waiter), fencingToken }
    this.#events.emit('granted', handOffMs === undefined ? event : { ...event, handOffMs })
  }

  error(error: unknown): void {
    this.#events.emitError(error)
  }
}

/** After this time a wait is reported that may never end: 10 s, unless a round of housekeeping comes just before. */
const suspectAfterMs = 9_500

/** One that waits, as far as a look at all of them needs to know it. */
interface Waiting extends Reported {
  readonly waitsSince: number
  readonly obstacle: Pick<Obstacle, 'holder'> | undefined
  readonly inside?: Inside
}

/** A hold of the client that waits. */
interface OwnHold {
  readonly heldSince: number
  readonly bodies: Pick<Turns, 'isIdle'> | undefined
}

/**
 * Has the process warned once of a call that has long waited for itself, or may have: behind a lease that the client had before the call, and
 * in which no callback runs, so that nested calls do not re-enter. Whether it was this caller that got the lease is not known: outside
 * callbacks and scopes all callers have the same context, none.
 */
export function warnOfSelfDeadlock(
  events: Events,
  waiters: readonly Waiting[],
  holds: { find(owner: string): OwnHold | undefined },
): void {
  if (events.hasListeners('waiting')) return
  const now = monotonicMs()
  for (const waiter of waiters) {
    const { waitsSince, obstacle, target, inside } = waiter
    if (!obstacle || now - waitsSince < suspectAfterMs) continue
    const { holder } = obstacle
    const isCertain = isBehindItself(target, holder, inside)
    if (!isCertain && !mayBeItself(waiter, holds.find(holder))) continue
    const seconds = Math.round((now - waitsSince) / 1_000)
    warnProcessOnce('HOLDFAST_SELF_DEADLOCK', () => selfDeadlockText(target, holder, seconds, isCertain))
    return
  }
}

/** Of a semaphore each call takes permits of its own, and other callers may give theirs back. */
const mayBeItself = ({ target: { kind }, waitsSince }: Waiting, hold: OwnHold | undefined): boolean =>
  hold !== undefined && kind !== 'semaphore' && hold.heldSince <= waitsSince && hold.bodies?.isIdle !== false

const selfDeadlockText = (target: Target, holder: string, seconds: number, isCertain: boolean): string =>
  `${titleOf(target)}: a call has waited ${seconds} s ` +
  (isCertain
    ? `for the hold around it (${holder}), a self-deadlock: with reentrant: false a call never re-enters. `
    : `behind ${holder}, a lease that this same client got by lock() or tryLock() before. If the caller has that lease, this is a self-deadlock: ` +
      'nested calls re-enter only inside withLock, lease.run or scope. ') +
  "Listen to the client's 'waiting' event to see such waits; without a listener this is shown once per process."

/**
 * The result of a wait in vain.
 *
 * @param heldSince - since when at least that is the holder, on the monotonic clock
 */
export const notAcquired = (
  { target, owner, awaited }: Reported & { readonly awaited?: Awaited | undefined },
  obstacle: (Pick<Obstacle, 'holder' | 'position'> & { readonly at?: number }) | undefined,
  waitedMs: number,
  inside: Inside,
  heldSince?: number,
): NotAcquired => ({
  kind: 'not-acquired',
  name: target.address.name,
  objectKind: target.kind,
  owner,
  holder: obstacle?.holder,
  position: obstacle?.position ?? 0,
  stateAgeMs: obstacle?.at === undefined ? undefined : Math.round(monotonicMs() - obstacle.at),
  heldMs: heldSince === undefined ? undefined : Math.round((obstacle?.at ?? monotonicMs()) - heldSince),
  waitedMs,
  isUnset: awaited?.isBound === false,
  isBehindItself: obstacle !== undefined && isBehindItself(target, obstacle.holder, inside),
})

/** What errors say of it. */
export const detailsOf = ({ target, owner }: Reported): ErrorSubject => ({
  lockName: target.address.name,
  owner,
  title: titleOf(target),
})

function subjectOf({ target: { kind, permits, address }, owner }: Reported): LockEvent {
  const { name } = address
  return kind === 'semaphore' ? { name, kind, owner, permits } : { name, kind, owner }
}

/** The errors that end a wait. */

type Subject = Pick<Target, 'kind' | 'address'>

export const closedWhileWaiting = (target: Subject, details: HoldfastErrorDetails): ClosedError =>
  new ClosedError(`the Holdfast client was closed while waiting for ${titleOf(target)}`, details)

export const tooManyWaiters = (
  target: Subject,
  maxWaiters: number,
  details: HoldfastErrorDetails,
): TooManyWaitersError =>
  new TooManyWaitersError(
    `too many waiters for ${titleOf(target)}: this client already has ${maxWaiters} (maxWaiters); try again later`,
    details,
  )

export const latchGone = (target: Subject, details: HoldfastErrorDetails): LatchGoneError =>
  new LatchGoneError(
    `${titleOf(target)} is gone: it was deleted, or the store lost it, before it opened; set the count and count down again`,
    details,
  )

/** Errors of requests that the store did reply to, only not in time: that does not mean that the store is down. */
const stale = new WeakSet<Error>()

export const isStaleReply = (error: Error): boolean => stale.has(error)

function staleReply(message: string, details: HoldfastErrorDetails): UnavailableError {
  const error = new UnavailableError(message, details)
  stale.add(error)
  return error
}

export const alreadyAbandoned = (target: Subject, details: HoldfastErrorDetails): UnavailableError =>
  staleReply(`${titleOf(target)}: this acquisition was already abandoned`, details)

export const repliedTooLate = (target: Subject, details: HoldfastErrorDetails): UnavailableError =>
  staleReply(
    `${titleOf(target)}: the reply was processed too late, and the lease may already have expired; try again`,
    details,
  )

/** Errors of waits. One that is part of another wait, such as that of a multi lock, which says the same once. */
const ofWaits = new WeakSet<Error>()

/**
 * @param store - the engine, and how messages name its store
 * @param cause - why the last command failed unless one was answered since, or else what the engine reported last
 */
export function notReached(
  target: Subject,
  { engine, storeName }: { readonly engine: string; readonly storeName: string },
  waitedMs: number,
  cause: HoldfastError | undefined,
  details: HoldfastErrorDetails,
): UnavailableError {
  const lastError = cause && ofWaits.has(cause) ? cause.cause : cause
  const text =
    lastError instanceof Error
      ? `could not reach the store within ${waitedMs} ms for ${titleOf(target)}; last error: ${lastError.message}`
      : `${storeName} did not reply within ${waitedMs} ms for ${titleOf(target)}`
  const error = new UnavailableError(text, { ...details, engine, cause: lastError })
  ofWaits.add(error)
  return error
}
