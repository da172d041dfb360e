import type { RedisServer } from '../../server/redis-server.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * Revokes the default user's permission for commands such as `evalsha` or `client|id`: they fail with NOPERM, on open
 * connections too.
 *
 * `heal` grants it again. Not for `acl`, which `heal` needs itself.
 */
export async function refuseCommands(server: RedisServer, commands: readonly string[]): Promise<Fault> {
  const setRights = async (sign: '+' | '-') => {
    await server.call('ACL', 'SETUSER', 'default', ...commands.map((command) => sign + command))
  }
  await setRights('-')
  return faultUntil(() => setRights('+'))
}
