import type { Redis } from 'ioredis'

/**
 * Connects, runs the callback, disconnects.
 *
 * Rejects with the cause: at once if the connection is refused, after 5 seconds if the server is unresponsive.
 */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  // Loaded on demand: a process that never gets here starts sooner.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 5_000,
    // An unresponsive server does not reply to the end of the connection either.
    disconnectTimeout: 100,
  })
  let failure: Error | undefined
  // ioredis rejects connect() with "Connection is closed." and names the cause only in this event.
  redis.on('error', (error: Error) => {
    failure = error
  })
  try {
    await redis.connect()
    return await use(redis)
  } catch (error) {
    throw failure ?? error
  } finally {
    // On a connection that has ended, disconnect() would start a timer that nothing clears.
    if (redis.status !== 'end') {
      const ended = new Promise((resolve) => redis.once('end', resolve))
      redis.disconnect()
      await ended
    }
  }
}
