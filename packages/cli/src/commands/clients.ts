import { isHoldfastError, type ClientInfo, type Holdfast } from '@holdfast/core'

/** Where the connected clients run, by their ids; none when the store refuses to list them. */
export async function clientsById(holdfast: Pick<Holdfast, 'clients'>): Promise<Map<string, ClientInfo>> {
  try {
    const connected = await holdfast.clients()
    return new Map(connected.map(({ clientId, client }) => [clientId, client]))
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'REFUSED') return new Map()
    throw error
  }
}
