import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { disconnecting, pollMs } from './common.js'

const library = 'redis-semaphore'

export const redisSemaphore: Contender = {
  library,
  settings: `Mutex; acquireTimeout without limit, retryInterval ${pollMs}, as by default`,
  waits: 'polling',
  imports: ['ioredis', library],
  async open(url) {
    const { Mutex } = await import('redis-semaphore')
    const redis = new Redis(url)
    return {
      async enter(name) {
        const mutex = new Mutex(redis, name, { acquireTimeout: Infinity, retryInterval: pollMs })
        await mutex.acquire()
        return () => mutex.release()
      },
      close: disconnecting(redis),
    }
  },
  async hold(url, lockTimeout) {
    const { Mutex } = await import('redis-semaphore')
    const redis = new Redis(url)
    let lost = 0
    const onLockLost = (): void => {
      lost += 1
    }
    return {
      hold: (name) => new Mutex(redis, name, { lockTimeout, onLockLost }).acquire(),
      lost: () => lost,
    }
  },
}
