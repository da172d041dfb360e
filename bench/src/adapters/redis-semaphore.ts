import { Redis } from 'ioredis'
import type { TimeoutOptions } from 'redis-semaphore'
import type { Contender } from '../contender.js'
import { disconnecting, persist, pollMs } from './common.js'

const library = 'redis-semaphore'
const patient = { acquireTimeout: Infinity, retryInterval: pollMs }

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
      close: disconnecting(redis),
    }
  }

export const redisSemaphore: readonly Contender[] = [
  {
    library,
    configuration: 'best',
    settings: `Mutex; acquireTimeout without limit, retryInterval ${pollMs}, as by default`,
    waits: 'polling',
    imports: ['ioredis', library],
    open: openWith(patient),
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
  },
  {
    library,
    configuration: 'defaults',
    settings: 'Mutex, no options; called again when it gives up after 10 s',
    waits: 'polling',
    open: openWith({}),
  },
]

/** Its semaphore, which several hold at once. */
export const redisSemaphoreOf = (permits: number): Contender => ({
  library: `${library}, semaphore of ${permits}`,
  configuration: 'best',
  settings: `Semaphore; acquireTimeout without limit, retryInterval ${pollMs}, as by default`,
  waits: 'polling',
  async open(url) {
    const { Semaphore } = await import('redis-semaphore')
    const redis = new Redis(url)
    return {
      async enter(name) {
        const semaphore = new Semaphore(redis, name, permits, patient)
        await semaphore.acquire()
        return () => semaphore.release()
      },
      close: disconnecting(redis),
    }
  },
})
