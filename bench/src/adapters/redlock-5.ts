import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { disconnecting, holdingByCallback, leaseMs, pollMs } from './common.js'

export const redlock5: Contender = {
  library: 'redlock 5',
  settings: `retryDelay ${pollMs}, retryJitter 0, retryCount -1 (retries indefinitely)`,
  waits: 'polling',
  imports: ['ioredis', 'redlock-5'],
  async open(url) {
    const { default: Redlock, ResourceLockedError } = await import('redlock-5')
    const redis = new Redis(url)
    const redlock = new Redlock([redis], { retryDelay: pollMs, retryJitter: 0, retryCount: -1 })
    redlock.on('error', (error) => {
      if (!(error instanceof ResourceLockedError)) console.error(error)
    })
    return {
      async enter(name) {
        const lock = await redlock.acquire([name], leaseMs)
        return async () => {
          await lock.release()
        }
      },
      close: disconnecting(redis),
    }
  },
  async hold(url, leaseMs) {
    const { default: Redlock } = await import('redlock-5')
    const redlock = new Redlock([new Redis(url)])
    return holdingByCallback((name, body) => redlock.using([name], leaseMs, body))
  },
}
