import type { Awaited } from '../engine/latch.js'
import { titleOf, type ObjectKind, type Target } from '../engine/requests.js'
import {
  ClosedError,
  LatchGoneError,
  TooManyWaitersError,
  UnavailableError,
  type ErrorSubject,
  type HoldfastError,
} from '../errors/errors.js'
import { isBehindItself } from '../events/observer.js'
import type { Request } from '../options/options.js'
import { monotonicMs } from '../time/time.js'

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
  { kind, address: { name } }: Target,
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

/** Who wants what; without an owner as long as nothing was requested. */
interface Wanting {
  readonly target: Target
  readonly owner?: string
  readonly awaited?: Awaited | undefined
}

/**
 * The result of a wait in vain.
 *
 * @param inside - the hold around the caller that it must not re-enter, if there is one
 * @param heldSince - since when at least that is the holder, on the monotonic clock
 */
export const notAcquired = (
  { target, owner, awaited }: Wanting,
  obstacle: { readonly holder: string; readonly position: number; readonly at?: number } | undefined,
  waitedMs: number,
  inside: Request['inside'],
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
export const detailsOf = ({ target, owner }: Wanting): ErrorSubject => ({
  lockName: target.address.name,
  owner,
  title: titleOf(target),
})

/** The errors that end a wait. */

export const closedWhileWaiting = (who: Wanting): ClosedError =>
  new ClosedError(`the Holdfast client was closed while waiting for ${titleOf(who.target)}`, detailsOf(who))

export const tooManyWaiters = (who: Wanting, maxWaiters: number): TooManyWaitersError =>
  new TooManyWaitersError(
    `too many waiters for ${titleOf(who.target)}: this client already has ${maxWaiters} (maxWaiters); try again later`,
    detailsOf(who),
  )

export const latchGone = (who: Wanting): LatchGoneError =>
  new LatchGoneError(
    `${titleOf(who.target)} is gone: it was deleted, or the store lost it, before it opened; set the count and count down again`,
    detailsOf(who),
  )

/** Errors of requests that the store did reply to, only not in time: that does not mean that the store is down. */
const stale = new WeakSet<Error>()

export const isStaleReply = (error: Error): boolean => stale.has(error)

function staleReply(who: Wanting, what: string): UnavailableError {
  const error = new UnavailableError(`${titleOf(who.target)}: ${what}`, detailsOf(who))
  stale.add(error)
  return error
}

export const alreadyAbandoned = (who: Wanting): UnavailableError =>
  staleReply(who, 'this acquisition was already abandoned')

export const repliedTooLate = (who: Wanting): UnavailableError =>
  staleReply(who, 'the reply was processed too late, and the lease may already have expired; try again')

/** Errors of waits. One that is part of another wait, such as that of a multi lock, which says the same once. */
const ofWaits = new WeakSet<Error>()

/**
 * @param store - as messages name it
 * @param cause - why the last command failed unless one was answered since, or else what the engine reported last
 */
export function notReached(
  who: Wanting,
  { settings, storeName }: { readonly settings: { readonly engine: string }; readonly storeName: string },
  waitedMs: number,
  cause: HoldfastError | undefined,
): UnavailableError {
  const lastError = cause && ofWaits.has(cause) ? cause.cause : cause
  const title = titleOf(who.target)
  const text =
    lastError instanceof Error
      ? `could not reach the store within ${waitedMs} ms for ${title}; last error: ${lastError.message}`
      : `${storeName} did not reply within ${waitedMs} ms for ${title}`
  const error = new UnavailableError(text, { ...detailsOf(who), engine: settings.engine, cause: lastError })
  ofWaits.add(error)
  return error
}
