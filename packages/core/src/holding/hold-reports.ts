import type { LockLostError } from '../errors.js'
import type { Events, LockEvent } from '../events.js'
import { acquiredAt } from './acquired-at.js'
import type { OpenLease } from './lease-set.js'
import { titleFrom, titleOf } from '../ownership/target.js'
import type { ObjectKind, Target } from '../ownership/target.js'

/** What reports say of a hold. */
export interface Reported {
  readonly owner: string
  readonly target: Target
  /** What the store is to count for it. */
  readonly value: number
  readonly count: number
  readonly fencingToken: number
  remainingMs(): number
}

type Reports = Pick<Events, 'emit' | 'hasListeners'>

// Whether anyone listens is asked first where that happens once per cycle.

export function reportAcquired(events: Reports, hold: Reported, kind: ObjectKind, waitedMs: number): void {
  if (!events.hasListeners('acquired')) return
  const { count: holdCount, fencingToken } = hold
  events.emit('acquired', { ...subjectOf(hold), kind, holdCount, fencingToken, waitedMs })
}

export function reportRenewed(events: Reports, hold: Reported): void {
  if (!events.hasListeners('renewed')) return
  events.emit('renewed', { ...subjectOf(hold), remainingMs: hold.remainingMs() })
}

/** @param kind - of the lease that was left */
export function reportReleased(
  events: Reports,
  hold: Reported,
  kind: ObjectKind,
  isConfirmed: boolean,
): void {
  if (!events.hasListeners('released')) return
  events.emit('released', { ...subjectOf(hold), kind, holdCount: hold.count, confirmed: isConfirmed })
}

export function reportDowngraded(events: Reports, hold: Reported): void {
  events.emit('downgraded', subjectOf(hold))
}

export function reportLost(events: Reports, hold: Reported, error: LockLostError): void {
  events.emit('lost', { ...subjectOf(hold), error })
}

/** No one can release this lease any more. It stays held: what it protects may still run. */
export function reportDropped(
  events: Reports & Pick<Events, 'warnOnce'>,
  hold: LockEvent,
  lease: OpenLease,
): void {
  if (events.hasListeners('leaked')) {
    const stack = acquiredAt(lease)
    const { kind } = lease
    events.emit('leaked', { ...hold, kind, reason: 'lease-dropped', ...(stack && { stack }) })
    return
  }
  events.warnOnce(
    'LEAKED',
    'LEAKED',
    () =>
      `${titleFrom(hold.kind, hold.name)} (owner ${hold.owner}) is held by a lease that was dropped without unlock(), and is renewed for as ` +
      'long as this client is open: the work may still run. Keep what lock() returns and call unlock() on it, or use withLock. ' +
      "To see where leases were acquired, listen to the client's 'leaked' event; without a listener this is shown once.",
  )
}

/** @param leftMs - until the deadline */
export function warnUnconfirmed(
  events: Reports,
  { target, owner }: Reported,
  commandTimeoutMs: number,
  leftMs: number,
): void {
  const release = `the release of ${titleOf(target)} by ${owner}`
  const message =
    leftMs > 0
      ? `${release} got no reply within ${commandTimeoutMs} ms (commandTimeoutMs); it is repeated in the background until ` +
        `the lease expires, in ${Math.ceil(leftMs)} ms at the latest. Until then others may have to wait`
      : `${release} got no reply before the lease expired`
  events.emit('warning', { code: 'RELEASE_UNCONFIRMED', message })
}

export function subjectOf({ target: { kind, address }, owner, value: permits }: Reported): LockEvent {
  const { name } = address
  return kind === 'semaphore' ? { name, kind, owner, permits } : { name, kind, owner }
}
