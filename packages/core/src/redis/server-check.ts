import { RefusedError } from '../errors/errors.js'
import type { WarningCode } from '../events/events.js'
import { isUnusable } from './errors.js'
import { assertUsable, isMaster } from './server-identity.js'
import type { ServerIdentity } from './server-identity.js'

/**
 * Refuses a server that cannot keep locks, and warns about one that may lose them or cannot be checked.
 *
 * @param key - leads to the server
 * @param name - of the server, in messages
 * @param leave - has the connection made again: its address may lead to the master by then
 */
export async function checkServer(
  servers: Pick<ServerIdentity, 'read'>,
  key: string,
  name: string,
  warn: (code: WarningCode, message: string) => void,
  leave: () => void,
): Promise<void> {
  try {
    const info = await servers.read(key)
    if (!isMaster(info)) leave()
    assertUsable(info)
    if (info.evictionPolicy !== undefined && info.evictionPolicy !== 'noeviction') {
      const text = `${name} may evict locks: its maxmemory-policy is ${info.evictionPolicy}; set it to noeviction`
      warn('EVICTION_POLICY', text)
    }
  } catch (error) {
    const mayOnlyLackInfo = error instanceof RefusedError && error.cause !== undefined
    if (!mayOnlyLackInfo || isUnusable(error)) throw error
    warn(
      'SERVER_UNKNOWN',
      `the server's version, role and eviction policy could not be read: ${error.message}`,
    )
  }
}
