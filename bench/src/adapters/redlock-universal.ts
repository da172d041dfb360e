import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { disconnecting, holdingByCallback, pollMs } from './common.js'

const library = 'redlock-universal'

export const redlockUniversal: Contender = {
  library,
  settings: `performance lean, retryDelay ${pollMs}, retryAttempts without limit`,
  waits: 'polling',
  imports: ['ioredis', library],
  async open(url) {
    const { createLock, IoredisAdapter } = await import('redlock-universal')
    const redis = new Redis(url)
    const options = {
      performance: 'lean',
      retryDelay: pollMs,
      retryAttempts: Number.MAX_SAFE_INTEGER,
    } as const
    const adapter = new IoredisAdapter(redis)
    return {
      async enter(name) {
        const lock = createLock({ ...options, adapter, key: name })
        const handle = await lock.acquire()
        return async () => {
          await lock.release(handle)
        }
      },
      close: disconnecting(redis),
    }
  },
  async hold(url, ttl) {
    const { createLock, IoredisAdapter } = await import('redlock-universal')
    const adapter = new IoredisAdapter(new Redis(url))
    return holdingByCallback((key, body) =>
      createLock({ adapter, key, ttl, performance: 'lean' }).using(body),
    )
  },
}
