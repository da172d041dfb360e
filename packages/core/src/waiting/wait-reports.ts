import { clientOf } from '../engine/owner.js'
import type { Events, LockEvent } from '../events.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import type { ErrorSubject } from '../store-errors.js'
import type { NotAcquired } from './outcome.js'

/** Who wants what. */
interface Reported {
  readonly target: Target
  readonly owner: string
}

/** Who kept it from that, as of the last reply. */
interface Obstacle {
  readonly holder: string
  readonly position: number
}

type Reports = Pick<Events, 'emit' | 'hasListeners'>

/** @param clientId - of the client that waits */
export function reportWaiting(
  events: Reports,
  waiter: Reported,
  { holder, position }: Obstacle,
  clientId: string,
): void {
  if (!events.hasListeners('waiting')) return
  const behindOwnClient = clientOf(holder) === clientId
  events.emit('waiting', { ...subjectOf(waiter), holder, position, behindOwnClient })
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
  { target, owner }: Reported,
  obstacle: Obstacle | undefined,
  waitedMs: number,
): NotAcquired => ({
  kind: 'not-acquired',
  name: target.address.name,
  objectKind: target.kind,
  owner,
  holder: obstacle?.holder,
  position: obstacle?.position ?? 0,
  waitedMs,
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
