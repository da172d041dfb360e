import type { Address } from '../engine/requests.js'
import { LockLostError } from '../errors.js'
import type { LossReason } from '../errors.js'

const lossText: Record<LossReason, string> = {
  expired: 'the lease expired before the lock was released; another client may hold it now',
  'not-held': 'the store no longer counts this owner as the holder',
  revoked: 'the hold was revoked by forceUnlock',
  closed: 'the client was closed before the hold was released',
  suspended: 'the machine was suspended after the store last confirmed the hold; check isHeld again shortly',
}

const limitText =
  'the hold limit (maxHoldMs) passed before the lock was released; another client may hold it now'

/**
 * The loss of a hold.
 *
 * @param isAtLimit - whether it was not renewed because it had reached its limit
 */
export const lossOf = (
  { name }: Address,
  owner: string,
  reason: LossReason,
  isAtLimit = false,
): LockLostError => {
  const text = reason === 'expired' && isAtLimit ? limitText : lossText[reason]
  return new LockLostError(`${text} (lock ${name}, owner ${owner})`, { lockName: name, owner, reason })
}

/**
 * The same for one call that runs into it, with the stack of that call. The hold's own was mostly made by a timer, and
 * is shared.
 */
export const lossForCaller = (loss: LockLostError): LockLostError => {
  const { lockName, owner, reason } = loss
  return new LockLostError(loss.message, { lockName, owner, reason, cause: loss })
}
