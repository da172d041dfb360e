import { LockLostError } from '../errors/errors.js'
import { reasonTogether } from '../holding/loss.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'

/** The loss of all locks that were acquired together, because of one of them. */
export const memberLost = (
  target: Pick<Target, 'kind' | 'address'>,
  owner: string,
  cause: LockLostError,
): LockLostError =>
  new LockLostError(
    `${titleOf(target)} was lost, and with it the locks that were acquired together with it: ${cause.message}`,
    { lockName: target.address.name, owner, reason: reasonTogether(cause), cause },
  )
