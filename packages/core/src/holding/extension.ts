import type { RenewalReply } from '../engine/replies.js'
import type { Renewal } from '../engine/requests.js'
import type { LockSteps } from '../engine/lock-steps.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Moment } from '../util/clock.js'

/** A renewal of one hold that is sent now, by the watchdog, by `extend()` or by a multi lock. Several holds may share a command. */
export interface Extension {
  readonly sentAt: Moment
  readonly renewal: Renewal
  /** Takes the reply. Throws `LockLostError` when the hold is lost, `UnavailableError` when that is not known. */
  settle(reply: RenewalReply | undefined): void
}

/** Sends it for a caller. Rejects with `LockLostError` when the hold is lost. */
export async function sendExtension(
  steps: LockSteps,
  extension: Extension,
  timeoutMs: number,
  details: ErrorSubject,
): Promise<void> {
  const [reply] = await steps.renew([extension.renewal], timeoutMs).catch((error: unknown) => {
    throw toHoldfastError(error, details)
  })
  extension.settle(reply)
}
