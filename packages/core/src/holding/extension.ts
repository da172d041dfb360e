import type { RenewalReply } from '../engine/replies.js'
import type { Address, Renewal } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { UnavailableError } from '../errors.js'
import { toHoldfastError } from '../store-errors.js'
import type { ErrorSubject } from '../store-errors.js'
import { momentNow } from '../util/clock.js'
import type { Moment } from '../util/clock.js'

/** A renewal that a caller waits for. */
export interface Extension {
  readonly renewal: Renewal
  /** Takes the reply. Throws `LockLostError` when the hold is lost, `UnavailableError` when that is not known. */
  settle(reply: RenewalReply | undefined): void
}

/** What an extension needs of its hold. */
export interface Extended {
  readonly address: Address
  readonly owner: string
  /** The lease to send now. */
  sending(wantedMs: number): number
  /** Takes what the store replied. Throws `LockLostError` when the hold is lost. */
  onExtended(isHeld: boolean, sentAt: Moment, leaseMs: number): void
}

/** What extends the hold if it is sent at once. */
export function extensionOf(hold: Extended, wantedMs: number): Extension {
  const sentAt = momentNow()
  const leaseMs = hold.sending(wantedMs)
  return {
    renewal: { address: hold.address, owner: hold.owner, leaseMs },
    settle: (reply) => {
      if (reply === 'no-reply') {
        const { address, owner } = hold
        throw new UnavailableError(
          `lock ${address.name} was not extended in time: the store is busy with it; the lease of ${owner} stays as it was`,
          { lockName: address.name, owner },
        )
      }
      hold.onExtended(reply === 'renewed', sentAt, leaseMs)
    },
  }
}

/** Sends it. Rejects with `LockLostError` when the hold is lost. */
export async function sendExtension(
  session: Pick<EngineSession, 'renew'>,
  extension: Extension,
  timeoutMs: number,
  details: ErrorSubject,
): Promise<void> {
  const [reply] = await session.renew([extension.renewal], timeoutMs).catch((error: unknown) => {
    throw toHoldfastError(error, details)
  })
  extension.settle(reply)
}
