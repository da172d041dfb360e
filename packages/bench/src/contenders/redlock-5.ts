import { Redis } from 'ioredis'
import type { Settings } from 'redlock-5'
import type { Contender } from '../contender.js'
import { persist } from './persist.js'
import { leaseMs, pollMs } from './terms.js'

const openWith =
  (settings: Settings): Contender['open'] =>
  async (url) => {
    const { default: Redlock, ExecutionError, ResourceLockedError } = await import('redlock-5')
    const redis = new Redis(url)
    const redlock = new Redlock([redis], settings)
    redlock.on('error', (error) => {
      if (!(error instanceof ResourceLockedError)) console.error(error)
    })
    return {
      async enter(name) {
        const lock = await persist(
          () => redlock.acquire([name], leaseMs),
          (error) => error instanceof ExecutionError,
        )
        return async () => {
          await lock.release()
        }
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  }

const library = 'redlock 5'

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
