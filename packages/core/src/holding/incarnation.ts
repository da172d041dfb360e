import type { Address } from '../engine/requests.js'
import type { StoreFacts } from '../engine/store-facts.js'

/**
 * The incarnation of the store that proved a hold just now; `undefined` if a connection broke before the store said which one
 * it is, or if it did not say. A release in doubt then counts as a loss.
 */
export async function provenIncarnation(store: StoreFacts, address: Address): Promise<string | undefined> {
  const epoch = store.connectionEpoch
  try {
    const incarnation = await store.incarnation(address)
    return epoch === store.connectionEpoch ? incarnation : undefined
  } catch {
    return undefined
  }
}
