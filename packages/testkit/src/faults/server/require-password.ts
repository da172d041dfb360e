import { randomBytes } from 'node:crypto'
import type { RedisServer } from '../../server/redis-server.js'
import { withRedis } from '../../server/with-redis.js'
import { faultUntil, type Fault } from './fault.js'

/**
 * The server wants a password that nobody knows: NOAUTH. `heal` drops it.
 *
 * Open connections are ended, since the server goes on trusting them. Meanwhile `server.call` is refused as well.
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
