import type { RedisServer } from '../../server/redis-server.js'
import { withRedis } from '../../server/with-redis.js'
import { until } from '../../until.js'
import { readInfo } from './read-info.js'
import { setConfig } from './set-config.js'

export interface EvictOptions {
  /** Continues until this key is evicted. @defaultValue until any key was evicted */
  readonly key?: string
}

/**
 * Memory pressure: the server evicts random keys, a few at a time, until the wanted one is among them.
 *
 * Resolves with their number, after restoring the former limit and policy. Rejects if the wanted key, or any key, was
 * not evicted within 10 seconds, for example because there are no keys.
 */
export async function evictKeys(server: RedisServer, options: EvictOptions = {}): Promise<number> {
  const evicted = async () => Number(await readInfo(server, 'stats', 'evicted_keys'))
  const before = await evicted()
  const usedBytes = Number(await readInfo(server, 'memory', 'used_memory'))
  const restore = await setConfig(server, { 'maxmemory-policy': 'allkeys-random', maxmemory: 0 })
  try {
    // On one connection: a new connection takes more memory than many keys.
    await withRedis(server.url, async (redis) => {
      let boundBytes = usedBytes
      const press = async () => {
        boundBytes = Math.max(1, Math.floor(boundBytes - usedBytes / 1_000))
        await redis.config('SET', 'maxmemory', boundBytes)
        if (options.key !== undefined) return (await redis.exists(options.key)) === 0
        return /^evicted_keys:(\d+)/m.exec(await redis.info('stats'))?.[1] !== String(before)
      }
      await until(press, {
        what: `${server.url} to evict ${options.key ?? 'a key'}`,
        everyMs: 1,
      })
    })
  } finally {
    await restore()
  }
  return (await evicted()) - before
}
