import { Redis } from 'ioredis'
import type { CreateLockConfig } from 'redlock-universal'
import type { Contender } from '../contender.js'
import { persist } from './persist.js'
import { pollMs } from './common-settings.js'

type Options = Omit<CreateLockConfig, 'adapter' | 'key'>

const openWith =
  (options: Options): Contender['open'] =>
  async (url) => {
    const { createLock, IoredisAdapter, LockAcquisitionError } = await import('redlock-universal')
    const redis = new Redis(url)
    const adapter = new IoredisAdapter(redis)
    return {
      async enter(name) {
        const lock = createLock({ ...options, adapter, key: name })
        const handle = await persist(
          () => lock.acquire(),
          (error) => error instanceof LockAcquisitionError,
        )
        return async () => {
          await lock.release(handle)
        }
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  }

const library = 'redlock-universal'

export const best: Contender = {
  library,
  configuration: 'best',
  settings: `performance lean, retryDelay ${pollMs}, retryAttempts without limit`,
  open: openWith({ performance: 'lean', retryDelay: pollMs, retryAttempts: Number.MAX_SAFE_INTEGER }),
}

export const defaults: Contender = {
  library,
  configuration: 'defaults',
  settings: 'none; a lock object for each acquisition; called again when it gives up after 3 retries',
  open: openWith({}),
}
