import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'

/** What learning an incarnation needs. */
type IncarnationSource = Pick<EngineSession, 'connectionEpoch' | 'incarnation'>

/**
 * The incarnation of the store that proved a hold just now; `undefined` if a connection broke before the store said which one
 * it is, or if it did not say. A release in doubt then counts as a loss.
 */
export async function provenIncarnation(
  session: IncarnationSource,
  address: Address,
): Promise<string | undefined> {
  const epoch = session.connectionEpoch
  try {
    const incarnation = await session.incarnation(address)
    return epoch === session.connectionEpoch ? incarnation : undefined
  } catch {
    return undefined
  }
}
