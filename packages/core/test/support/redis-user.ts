import { uniqueName, type RedisServer } from '@holdfast/testkit'
import { closeAfterTest } from './clients.js'

/** Makes a user with these rules of `ACL SETUSER` and no others, until the test ends; resolves with its URL. */
export async function makeRedisUser(server: RedisServer, rules: readonly string[]): Promise<string> {
  const name = uniqueName('user')
  await server.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', 'resetchannels', ...rules)
  closeAfterTest(() => server.call('ACL', 'DELUSER', name))
  return server.url.replace('redis://', `redis://${name}:secret@`)
}
