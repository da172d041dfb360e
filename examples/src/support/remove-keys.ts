import { Redis } from 'ioredis'

/** Deletes every key that starts with `prefix`, on a new connection. */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  // A failure also rejects the affected command.
  redis.on('error', () => undefined)
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
      if (Array.isArray(keys) && keys.length > 0) await redis.unlink(keys.map(String))
    }
  } finally {
    redis.disconnect()
  }
}
