import { Redis } from 'ioredis'
import type { TimeoutOptions } from 'redis-semaphore'
import type { Contender } from '../contender.js'
import { persist } from './persist.js'
import { pollMs } from './common-settings.js'

const openWith =
  (options: TimeoutOptions): Contender['open'] =>
  async (url) => {
    const { Mutex, TimeoutError } = await import('redis-semaphore')
    const redis = new Redis(url)
    return {
      async enter(name) {
        const mutex = new Mutex(redis, name, options)
        await persist(
          () => mutex.acquire(),
          (error) => error instanceof TimeoutError,
        )
        return () => mutex.release()
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  }

const library = 'redis-semaphore'

export const best: Contender = {
  library,
  configuration: 'best',
  settings: `Mutex; acquireTimeout without limit, retryInterval ${pollMs}, as by default`,
  open: openWith({ acquireTimeout: Infinity, retryInterval: pollMs }),
}

export const defaults: Contender = {
  library,
  configuration: 'defaults',
  settings: 'Mutex, no options; called again when it gives up after 10 s',
  open: openWith({}),
}

/** Its semaphore, which several hold at once. */
export const semaphoreOf = (permits: number): Contender => ({
  library: `${library}, semaphore of ${permits}`,
  configuration: 'best',
  settings: `Semaphore; acquireTimeout without limit, retryInterval ${pollMs}, as by default`,
  async open(url) {
    const { Semaphore } = await import('redis-semaphore')
    const redis = new Redis(url)
    return {
      async enter(name) {
        const options = { acquireTimeout: Infinity, retryInterval: pollMs }
        const semaphore = new Semaphore(redis, name, permits, options)
        await semaphore.acquire()
        return () => semaphore.release()
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  },
})
