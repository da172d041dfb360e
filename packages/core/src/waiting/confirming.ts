import type { Confirmation, Confirmer } from '../engine/confirmer.js'
import type { AcquireRequest, Address } from '../engine/requests.js'
import type { StoreFacts } from '../engine/store-facts.js'

/** A confirmation, and what the connections did while it was under way. */
export interface ObservedConfirmation {
  readonly confirmation: Confirmation
  /** The request may have been sent twice. */
  readonly mayRepeat: boolean
  /** No connection for commands broke since, so the store that confirmed the hold is the one that will renew it. */
  readonly isProven: boolean
}

/**
 * Has replicas confirm a grant.
 *
 * @param next - makes the request when it is sent; `null`: no longer wanted
 */
export async function confirmGrant(
  confirmer: Confirmer,
  store: StoreFacts,
  address: Address,
  next: () => AcquireRequest | null,
): Promise<ObservedConfirmation> {
  const epoch = confirmer.connectionEpoch
  const commandEpoch = store.connectionEpoch
  const confirmation = await confirmer.confirm(address, next)
  return {
    confirmation,
    mayRepeat: epoch !== confirmer.connectionEpoch,
    isProven: commandEpoch === store.connectionEpoch,
  }
}
