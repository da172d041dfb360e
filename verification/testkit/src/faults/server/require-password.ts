import { randomBytes } from 'node:crypto'
import type { RedisServer } from '../../server/redis-server.js'
import { withRedis } from '../../server/with-redis.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * The server requires an unknown password: commands fail with NOAUTH. `heal` removes it.
 *
 * Open connections are closed, since the server would keep trusting them. While it lasts, `server.call` fails too.
 */
export async function requirePassword(server: RedisServer): Promise<Fault> {
  const password = randomBytes(16).toString('hex')
  const { host, port } = server
  const authorised = `redis://:${password}@${host}:${port}`
  await server.call('CONFIG', 'SET', 'requirepass', password)
  await withRedis(authorised, async (redis) => {
    for (const kind of ['normal', 'pubsub']) await redis.call('CLIENT', 'KILL', 'TYPE', kind)
  })
  return faultUntil(async () => {
    await withRedis(authorised, (redis) => redis.config('SET', 'requirepass', ''))
  })
}
