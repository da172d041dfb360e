import { titleOf } from '../engine/requests.js'
import type { ObjectKind, Target } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import type { Events, LockEvent } from '../events/events.js'
import { callSite, framesOf } from '../ownership/call-site.js'
import type { CallSite } from '../ownership/call-site.js'
import type { LeaseHandle, OpenLease } from './lease-set.js'

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

/** Who learns what a hold does: the application, or the ballot that it is a vote of. */
export interface HoldReports {
  acquired(hold: Reported, kind: ObjectKind, waitedMs: number): void
  renewed(hold: Reported): void
  /** @param kind - of the lease that was left */
  released(hold: Reported, kind: ObjectKind, isConfirmed: boolean): void
  downgraded(hold: Reported): void
  lost(hold: Reported, error: LockLostError): void
  /** No one can release this lease any more. It stays held: what it protects may still run. */
  dropped(hold: Reported, lease: OpenLease): void
  /** The release got no reply; the message says what follows. */
  unconfirmed(message: string): void
  error(error: unknown): void
}

/** Reports to the listeners of a client. Whether anyone listens is asked first where that happens once per cycle. */
export class HoldEvents implements HoldReports {
  readonly #events: Events

  constructor(events: Events) {
    this.#events = events
  }

  acquired(hold: Reported, kind: ObjectKind, waitedMs: number): void {
    if (!this.#events.hasListeners('acquired')) return
    const { count: holdCount, fencingToken } = hold
    this.#events.emit('acquired', { ...subjectOf(hold), kind, holdCount, fencingToken, waitedMs })
  }

  renewed(hold: Reported): void {
    if (!this.#events.hasListeners('renewed')) return
    this.#events.emit('renewed', { ...subjectOf(hold), remainingMs: hold.remainingMs() })
  }

  released(hold: Reported, kind: ObjectKind, isConfirmed: boolean): void {
    if (!this.#events.hasListeners('released')) return
    this.#events.emit('released', { ...subjectOf(hold), kind, holdCount: hold.count, confirmed: isConfirmed })
  }

  downgraded(hold: Reported): void {
    this.#events.emit('downgraded', subjectOf(hold))
  }

  lost(hold: Reported, error: LockLostError): void {
    this.#events.emit('lost', { ...subjectOf(hold), error })
  }

  dropped(hold: Reported, lease: OpenLease): void {
    if (this.#events.hasListeners('leaked')) {
      const stack = acquiredAt(lease)
      const { kind } = lease
      this.#events.emit('leaked', {
        ...subjectOf(hold),
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

const droppedText = ({ target, owner }: Reported): string =>
  `${titleOf(target)} (owner ${owner}) is held by a lease that was dropped without unlock(), and is renewed for as ` +
  'long as this client is open: the work may still run. Keep what lock() returns and call unlock() on it, or use withLock. ' +
  "To see where leases were acquired, listen to the client's 'leaked' event; without a listener this is shown once."

/** That a release got no reply. @param leftMs - until the deadline */
export function unconfirmedText(
  { target, owner }: Reported,
  commandTimeoutMs: number,
  leftMs: number,
): string {
  const release = `the release of ${titleOf(target)} by ${owner}`
  return leftMs > 0
    ? `${release} got no reply within ${commandTimeoutMs} ms (commandTimeoutMs); it is repeated in the background until ` +
        `the lease expires, in ${Math.ceil(leftMs)} ms at the latest. Until then others may have to wait`
    : `${release} got no reply before the lease expired`
}

function subjectOf({ target: { kind, address }, owner, value: permits }: Reported): LockEvent {
  const { name } = address
  return kind === 'semaphore' ? { name, kind, owner, permits } : { name, kind, owner }
}

const stacks = new WeakMap<OpenLease, string>()

/** Remembers, as text, where a lease was acquired: a stack that is not yet text would keep its functions and what they refer to. */
function rememberCall({ entry }: LeaseHandle, call: CallSite): void {
  stacks.set(
    entry,
    framesOf(call)
      .map((frame) => `    ${frame}`)
      .join('\n'),
  )
}

/** Where it was acquired, if that was remembered. */
const acquiredAt = (lease: OpenLease): string | undefined => stacks.get(lease)

/**
 * Has the lease that comes of a call remember where the call was made, if someone wants to know: it costs a stack.
 *
 * @param toResult - makes what the caller gets of an outcome
 * @param ours - how many functions of this package the caller of this function is in
 */
export function traced<O, T extends LeaseHandle | null>(
  events: Events,
  toResult: (outcome: O) => T,
  ours: number,
): (outcome: O) => T {
  if (!events.hasListeners('leaked')) return toResult
  const call = callSite(ours + 1)
  return (outcome) => {
    const lease = toResult(outcome)
    if (lease) rememberCall(lease, call)
    return lease
  }
}
