import { clientOf, titleOf, type ObjectKind, type Target } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import { callSite, framesOf, type CallSite, type Turns } from '../ownership/turns.js'
import type { LeaseEntry } from '../ownership/possession.js'
import { monotonicMs } from '../time/time.js'
import { warnProcessOnce, type Events, type LockEvent } from './events.js'

interface ReportedOwner {
  readonly target: Target
  readonly owner: string
}

export interface ReportedHold extends ReportedOwner {
  readonly value: number
  readonly count: number
  readonly fencingToken: number
  remainingMs(): number
}

type Inside = Request['inside']

/** Who is notified of what waits and holds do. */
export interface Observer {
  /** Another owner is in the way. @param clientId - of the client that waits */
  waiting(waiter: ReportedOwner, holder: string, position: number, clientId: string, inside: Inside): void
  /** A release handed it over. @param handOffMs - how long that took to arrive; `undefined` if it is not known */
  granted(waiter: ReportedOwner, fencingToken: number, handOffMs: number | undefined): void
  acquired(hold: ReportedHold, kind: ObjectKind, waitedMs: number): void
  renewed(hold: ReportedHold): void
  /** @param kind - of the lease that was left */
  released(hold: ReportedHold, kind: ObjectKind, isConfirmed: boolean): void
  downgraded(hold: ReportedHold): void
  lost(hold: ReportedHold, error: LockLostError): void
  /** No one can release this lease any more. It stays held: what it protects may still run. */
  dropped(hold: ReportedHold, lease: LeaseEntry): void
  /** The release got no reply; the message says what follows. */
  unconfirmed(message: string): void
  error(error: unknown): void
}

/** Emits the events of a client. Whether anyone listens is asked first where that happens once per cycle. */
export class EventObserver implements Observer {
  readonly #events: Events

  constructor(events: Events) {
    this.#events = events
  }

  waiting(waiter: ReportedOwner, holder: string, position: number, clientId: string, inside: Inside): void {
    if (!this.#events.hasListeners('waiting')) return
    const behindOwnClient = clientOf(holder) === clientId
    const behindItself = isBehindItself(waiter.target, holder, inside)
    const subject = subjectOf(waiter, waiter.target.permits)
    this.#events.emit('waiting', { ...subject, holder, position, behindOwnClient, behindItself })
  }

  granted(waiter: ReportedOwner, fencingToken: number, handOffMs: number | undefined): void {
    if (!this.#events.hasListeners('granted')) return
    const event = { ...subjectOf(waiter, waiter.target.permits), fencingToken }
    this.#events.emit('granted', handOffMs === undefined ? event : { ...event, handOffMs })
  }

  acquired(hold: ReportedHold, kind: ObjectKind, waitedMs: number): void {
    if (!this.#events.hasListeners('acquired')) return
    const { count: holdCount, fencingToken } = hold
    this.#events.emit('acquired', { ...subjectOf(hold, hold.value), kind, holdCount, fencingToken, waitedMs })
  }

  renewed(hold: ReportedHold): void {
    if (!this.#events.hasListeners('renewed')) return
    this.#events.emit('renewed', { ...subjectOf(hold, hold.value), remainingMs: hold.remainingMs() })
  }

  released(hold: ReportedHold, kind: ObjectKind, isConfirmed: boolean): void {
    if (!this.#events.hasListeners('released')) return
    this.#events.emit('released', {
      ...subjectOf(hold, hold.value),
      kind,
      holdCount: hold.count,
      confirmed: isConfirmed,
    })
  }

  downgraded(hold: ReportedHold): void {
    this.#events.emit('downgraded', subjectOf(hold, hold.value))
  }

  lost(hold: ReportedHold, error: LockLostError): void {
    this.#events.emit('lost', { ...subjectOf(hold, hold.value), error })
  }

  dropped(hold: ReportedHold, lease: LeaseEntry): void {
    if (this.#events.hasListeners('leaked')) {
      const stack = acquiredAt(lease)
      const { kind } = lease
      this.#events.emit('leaked', {
        ...subjectOf(hold, hold.value),
        kind,
        reason: 'lease-dropped',
        ...(stack && { stack }),
      })
      return
    }
    this.#events.warnOnce('LEAKED', 'LEAKED', () => droppedText(hold))
  }

  unconfirmed(message: string): void {
    this.#events.emit('warning', { code: 'RELEASE_UNCONFIRMED', message })
  }

  error(error: unknown): void {
    this.#events.emitError(error)
  }
}

const droppedText = ({ target, owner }: ReportedHold): string =>
  `${titleOf(target)} (owner ${owner}) is held by a lease that was dropped without unlock(), and is renewed for as ` +
  'long as this client is open: the work may still run. Keep what lock() returns and call unlock() on it, or use withLock. ' +
  "To see where leases were acquired, listen to the client's 'leaked' event; without a listener this is shown once."

/** That a release got no reply. @param leftMs - until the deadline */
export function unconfirmedText(
  { target, owner }: ReportedHold,
  commandTimeoutMs: number,
  leftMs: number,
): string {
  const release = `the release of ${titleOf(target)} by ${owner}`
  return leftMs > 0
    ? `${release} got no reply within ${commandTimeoutMs} ms (commandTimeoutMs); it is repeated in the background until ` +
        `the lease expires, in ${Math.ceil(leftMs)} ms at the latest. Until then others may have to wait`
    : `${release} got no reply before the lease expired`
}

function subjectOf({ target: { kind, address }, owner }: ReportedOwner, permits: number): LockEvent {
  const { name } = address
  return kind === 'semaphore' ? { name, kind, owner, permits } : { name, kind, owner }
}

/**
 * Whether that hold is what keeps it out. A writer waits for all readers, whichever of them was named.
 */
export const isBehindItself = ({ kind }: Target, holder: string, inside: Inside): boolean =>
  inside !== undefined && !inside.isOver && (kind === 'write-lock' || inside.owner === holder)

const stacks = new WeakMap<LeaseEntry, string>()

/** Remembers, as text, where a lease was acquired: a stack that is not yet text would keep its functions and what they refer to. */
function rememberCall(entry: LeaseEntry, call: CallSite): void {
  stacks.set(
    entry,
    framesOf(call)
      .map((frame) => `    ${frame}`)
      .join('\n'),
  )
}

const acquiredAt = (lease: LeaseEntry): string | undefined => stacks.get(lease)

/**
 * Has the lease that comes of a call remember where the call was made, if someone wants to know: it costs a stack.
 *
 * @param toResult - makes what the caller gets of an outcome
 * @param ours - how many functions of this package the caller of this function is in
 */
export function traced<O, T extends { readonly entry: LeaseEntry } | null>(
  events: Events,
  toResult: (outcome: O) => T,
  ours: number,
): (outcome: O) => T {
  if (!events.hasListeners('leaked')) return toResult
  const call = callSite(ours + 1)
  return (outcome) => {
    const lease = toResult(outcome)
    if (lease) rememberCall(lease.entry, call)
    return lease
  }
}

/** After this time a wait is reported that may never end: 10 s, unless a round of housekeeping comes just before. */
const suspectAfterMs = 9_500

interface Waiting extends ReportedOwner {
  readonly waitsSince: number
  readonly obstacle: { readonly holder: string } | undefined
  readonly inside?: Inside
}

interface OwnHold {
  readonly heldSince: number
  readonly bodies: Turns | undefined
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
