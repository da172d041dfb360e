import { Redis } from 'ioredis'
import type { Options } from 'redlock-4'
import type { Contender } from '../contender.js'
import { persist } from './persist.js'
import { leaseMs, pollMs } from './terms.js'

const openWith =
  (options: Options): Contender['open'] =>
  async (url) => {
    const { default: Redlock } = await import('redlock-4')
    const redis = new Redis(url)
    const redlock = new Redlock([redis], options)
    redlock.on('clientError', (error) => console.error(error))
    return {
      async enter(name) {
        const lock = await persist(
          () => redlock.lock(name, leaseMs),
          (error) => error instanceof Redlock.LockError,
        )
        return () => lock.unlock()
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  }

const library = 'redlock 4'

export const best: Contender = {
  library,
  configuration: 'best',
  settings: `retryDelay ${pollMs}, retryJitter 0, retryCount -1 (tries for ever)`,
  open: openWith({ retryDelay: pollMs, retryJitter: 0, retryCount: -1 }),
}

export const defaults: Contender = {
  library,
  configuration: 'defaults',
  settings: 'none; asked again when it gives up after 10 retries',
  open: openWith({}),
}
