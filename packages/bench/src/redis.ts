import { startRedis, withRedis, type RedisServer, type StartRedisOptions } from '@holdfast/testkit'
import { pin, redisCore } from './pinning.js'

/** A new server, pinned to its core. */
export async function startPinnedRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options)
  const pid = await withRedis(server.url, async (redis) => {
    const info = await redis.info('server')
    return Number(/^process_id:(\d+)/m.exec(info)?.[1])
  })
  await pin(pid, redisCore)
  return server
}
