import { clientOf } from '../engine/owner.js'
import type { Awaited } from '../engine/latch.js'
import type { Events, LockEvent } from '../events/events.js'
import { warnProcessOnce } from '../events/process-warning.js'
import type { Request } from '../options/options.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import type { Turns } from '../ownership/turns.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import { monotonicMs } from '../util/clock.js'
import type { NotAcquired } from './outcome.js'
import type { Obstacle } from './standing.js'

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
  readonly #events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>

  constructor(events: Pick<Events, 'emit' | 'emitError' | 'hasListeners'>) {
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
  events: Pick<Events, 'hasListeners'>,
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
