import { Redis } from 'ioredis'
import { persist } from './persist.js'
import { redlocks } from './redlocks.js'
import { leaseMs } from './common-settings.js'

export const { best, defaults } = redlocks('redlock 4', (settings) => async (url) => {
  const { default: Redlock } = await import('redlock-4')
  const redis = new Redis(url)
  const redlock = new Redlock([redis], settings)
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
})
