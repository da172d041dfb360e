import { Redis } from 'ioredis'
import type { OpenHolder } from './holder.js'

export const holdWithRedisSemaphore: OpenHolder = async (url, leaseMs) => {
  const { Mutex } = await import('redis-semaphore')
  const redis = new Redis(url)
  let lost = 0
  const onLockLost = (): void => {
    lost += 1
  }
  return {
    async hold(name) {
      const mutex = new Mutex(redis, name, { lockTimeout: leaseMs, onLockLost })
      await mutex.acquire()
    },
    lost: () => lost,
  }
}
