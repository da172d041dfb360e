import { LockLostError, LockTimeoutError } from '../errors/errors.js'
import { titleFrom } from '../ownership/target.js'
import type { NotAcquired } from '../waiting/outcome.js'

/** The error for a wait that ended because another owner kept the lock. */
export function timedOutWaiting(outcome: NotAcquired): LockTimeoutError {
  const { name, objectKind, owner, holder, position, stateAgeMs, waitedMs } = outcome
  if (objectKind === 'latch') {
    const unset = outcome.isUnset ? ` (no count is set${ageText(stateAgeMs)}: call trySetCount)` : ''
    const state = holder === undefined ? ' (no reply in time)' : unset
    const closed = `timed out after ${waitedMs} ms waiting for latch ${name} to open${state}`
    const unqueued = { holder: undefined, position: undefined }
    return new LockTimeoutError(closed, { lockName: name, owner, ...unqueued, waitedMs })
  }
  const text = `timed out after ${waitedMs} ms waiting for ${titleFrom(objectKind, name)} (${stateText(outcome)})`
  const known = { holder: holder || undefined, position: position || undefined, stateAgeMs }
  return new LockTimeoutError(text + adviceFor(outcome), { lockName: name, owner, ...known, waitedMs })
}

/** Of ordinary contention the whole message has at most 25 words, and suspects no mistake: mostly there is none. */
function adviceFor({ sibling, isBehindItself }: NotAcquired): string {
  if (sibling !== undefined) return siblingText(sibling)
  return isBehindItself ? selfText : '; retry or raise waitMs'
}

/** It was in the hold already, behind a callback there. */
const siblingText = (sibling: string): string =>
  `. That is the hold around the caller, in which another callback runs${sibling && `, called ${sibling}`}: callbacks in one ` +
  'hold take turns. If the other one waits for this one, call this one inside it. If this one belongs to another caller, a queue, ' +
  'pool or batcher started it in the wrong context: use holdfast.bind, holdfast.detached or reentrant: false'

const selfText =
  '. That is a hold around the caller, which waits for itself (a self-deadlock): with reentrant: false a call never re-enters. ' +
  'If it belongs to that hold, leave the option out; if not, start it with holdfast.bind or holdfast.detached'

/** Who is in the way, for how long, and the position in the queue, or else how old that is. */
function stateText(outcome: NotAcquired): string {
  const { position, stateAgeMs } = outcome
  const age = ageText(stateAgeMs)
  const queue = position > 0 ? `, queue position ${position}` : ''
  return holderText(outcome) + (age || queue)
}

function holderText({ holder, objectKind, stateAgeMs, heldMs, isBehindScope }: NotAcquired): string {
  if (isBehindScope) return 'held by another task in this scope'
  if (holder === undefined) return 'no reply in time'
  if (holder === '')
    return objectKind === 'semaphore' ? 'behind earlier waiters or a resize' : 'set aside for the next waiter'
  const isKnown = heldMs !== undefined && heldMs > 0 && ageText(stateAgeMs) === ''
  return `held by ${holder}${isKnown ? ` for at least ${heldMs} ms` : ''}`
}

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

/** The loss of a hold whose callback failed after it. */
export const lostWithFailure = (loss: LockLostError, cause: unknown): LockLostError => {
  const { message, lockName, owner, reason, by } = loss
  return new LockLostError(message, { lockName, owner, reason, by, cause, loss })
}
