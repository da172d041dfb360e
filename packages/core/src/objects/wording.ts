import { clientOf } from '../engine/owner.js'
import { LockLostError, LockTimeoutError } from '../errors/errors.js'
import { titleFrom } from '../ownership/target.js'
import type { ObjectKind } from '../ownership/target.js'
import type { NotAcquired } from '../waiting/outcome.js'

/** The error for a wait that ended because another owner kept the lock. */
export function timedOutWaiting(outcome: NotAcquired): LockTimeoutError {
  const { name, objectKind, owner, holder, position, stateAgeMs, waitedMs } = outcome
  if (objectKind === 'latch') {
    const unset = outcome.isUnset ? ` (no count is set${ageText(stateAgeMs)}: call trySetCount)` : ''
    const closed = `timed out after ${waitedMs} ms waiting for latch ${name} to open${unset}`
    const unqueued = { holder: undefined, position: undefined }
    return new LockTimeoutError(closed, { lockName: name, owner, ...unqueued, waitedMs })
  }
  const text = `timed out after ${waitedMs} ms waiting for ${titleFrom(objectKind, name)} (${holderText(holder, objectKind)}, ${positionText(position)}${ageText(stateAgeMs)})`
  const known = { holder: holder || undefined, position: position || undefined, stateAgeMs }
  return new LockTimeoutError(text + adviceFor(outcome), { lockName: name, owner, ...known, waitedMs })
}

function adviceFor({ owner, holder, objectKind, isBehindItself, sibling }: NotAcquired): string {
  if (sibling !== undefined) return siblingText(sibling)
  if (isBehindItself) return selfText
  return isOfSameClient(owner, holder) ? ownClientText(objectKind) : ''
}

/** It was in the hold already, behind a callback there. */
const siblingText = (sibling: string): string =>
  `. That is the hold around the caller, in which another callback runs${sibling && `, called ${sibling}`}: callbacks in one ` +
  'hold take turns. If the other one waits for this one, call this one inside it. If this one belongs to another caller, a queue, ' +
  'pool or batcher started it in the wrong context: use holdfast.bind, holdfast.detached or reentrant: false'

const selfText =
  '. That is a hold around the caller, which waits for itself (a self-deadlock): with reentrant: false a call never re-enters. ' +
  'If it belongs to that hold, leave the option out; if not, start it with holdfast.bind or holdfast.detached'

const isOfSameClient = (owner: string | undefined, holder: string | undefined): boolean =>
  owner !== undefined && holder !== undefined && clientOf(owner) === clientOf(holder)

/** Mostly it is another request of the same server. But a caller may also hold it without having entered it. */
const ownClientText = (kind: ObjectKind): string =>
  '. The holder is a call of this same client, such as another request of the same server, or ' +
  (kind === 'semaphore'
    ? 'a lease that the caller did not unlock: each call takes its own permits, nested calls too'
    : "the caller's own hold: a lease that was not unlocked, or a callback that lost its async context (holdfast.bind). " +
      'Calls exclude each other within a client as they do between clients, and re-enter only inside withLock, run or scope' +
      (kind === 'write-lock'
        ? '; inside a read lock a write lock is rejected, so unlock the read lock first'
        : ''))

const holderText = (holder: string | undefined, kind: ObjectKind): string => {
  if (holder === undefined) return 'held by another task in this scope'
  if (holder === '' && kind === 'semaphore')
    return 'no holder, but earlier waiters come first, or it was resized'
  return holder === '' ? 'set aside for the next waiter' : `held by ${holder}`
}

const positionText = (position: number): string =>
  position === 0 ? 'not queued' : `queue position ${position}`

/** Where the state was read shortly before the end, its age says nothing. */
const ageText = (stateAgeMs: number | undefined): string =>
  stateAgeMs !== undefined && stateAgeMs >= 500 ? `, as of ${stateAgeMs} ms earlier` : ''

/** The loss of a hold whose callback completed despite it. */
export const lostWithResult = (error: LockLostError, result: unknown): LockLostError =>
  new LockLostError(error.message, {
    lockName: error.lockName,
    owner: error.owner,
    reason: error.reason,
    by: error.by,
    cause: error.cause,
    result,
  })
