import type { RedisServer } from '../../server/redis-server.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * Takes commands from the default user, such as `evalsha` or `client|id`: NOPERM, on open connections too.
 *
 * `heal` allows them. Not for `acl`: nobody could heal that.
 */
export async function refuseCommands(server: RedisServer, commands: readonly string[]): Promise<Fault> {
  const setRights = async (sign: '+' | '-') => {
    await server.call('ACL', 'SETUSER', 'default', ...commands.map((command) => sign + command))
  }
  await setRights('-')
  return faultUntil(() => setRights('+'))
}
