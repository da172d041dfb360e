import { Redis } from 'ioredis'

/**
 * Connects, runs the callback, disconnects.
 *
 * Fails with the cause: at once where nobody listens, after 5 seconds where the server is mute.
 */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 5_000,
    // A mute server does not answer the end of the connection either.
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
