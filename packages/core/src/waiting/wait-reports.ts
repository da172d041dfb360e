import { clientOf } from '../engine/owner.js'
import type { Awaited } from '../engine/latch.js'
import type { Events, LockEvent } from '../events.js'
import type { Request } from '../options.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import type { ErrorSubject } from '../store-errors.js'
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

type Reports = Pick<Events, 'emit' | 'hasListeners'>

/**
 * Whether that hold is what keeps it out. A writer waits for all readers, whichever of them was named.
 */
export const isBehindItself = ({ kind }: Pick<Target, 'kind'>, holder: string, inside: Inside): boolean =>
  inside !== undefined && !inside.isOver && (kind === 'write-lock' || inside.owner === holder)

/** @param clientId - of the client that waits */
export function reportWaiting(
  events: Reports,
  waiter: Reported,
  { holder, position }: Pick<Obstacle, 'holder' | 'position'>,
  clientId: string,
  inside: Inside,
): void {
  if (!events.hasListeners('waiting')) return
  const behindOwnClient = clientOf(holder) === clientId
  const behindItself = isBehindItself(waiter.target, holder, inside)
  events.emit('waiting', { ...subjectOf(waiter), holder, position, behindOwnClient, behindItself })
}

/** @param handOffMs - how long the grant took to arrive; `undefined` if that is not known */
export function reportGranted(
  events: Reports,
  waiter: Reported,
  fencingToken: number,
  handOffMs: number | undefined,
): void {
  if (!events.hasListeners('granted')) return
  const event = { ...subjectOf(waiter), fencingToken }
  events.emit('granted', handOffMs === undefined ? event : { ...event, handOffMs })
}

/** The result of a wait in vain. */
export const notAcquired = (
  { target, owner, awaited }: Reported & { readonly awaited: Awaited | undefined },
  obstacle: Obstacle | undefined,
  waitedMs: number,
  inside: Inside,
): NotAcquired => ({
  kind: 'not-acquired',
  name: target.address.name,
  objectKind: target.kind,
  owner,
  holder: obstacle?.holder,
  position: obstacle?.position ?? 0,
  stateAgeMs: obstacle && Math.round(monotonicMs() - obstacle.at),
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
