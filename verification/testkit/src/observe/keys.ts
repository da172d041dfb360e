import type { Redis } from 'ioredis'
import { withRedis } from '../server/with-redis.js'

/** The keys that match the glob pattern, sorted. For asserting that a test left nothing behind. */
export function leftoverKeys(url: string, pattern: string): Promise<string[]> {
  return withRedis(url, (redis) => scanKeys(redis, pattern))
}

/** Those of the matching keys that never expire, sorted. */
export function keysWithoutTtl(url: string, pattern: string): Promise<string[]> {
  return withRedis(url, async (redis) => {
    const keys = await scanKeys(redis, pattern)
    const ttls = await Promise.all(keys.map((key) => redis.pttl(key)))
    // -1: no expiry. -2: deleted since the scan.
    return keys.filter((_, n) => ttls[n] === -1)
  })
}

async function scanKeys(redis: Redis, pattern: string): Promise<string[]> {
  const keys = new Set<string>()
  let cursor = '0'
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000)
    for (const key of found) keys.add(key)
    cursor = next
  } while (cursor !== '0')
  return [...keys].sort()
}
