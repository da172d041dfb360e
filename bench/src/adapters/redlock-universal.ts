import { Redis } from 'ioredis'
import type { CreateLockConfig } from 'redlock-universal'
import type { Contender } from '../contender.js'
import { disconnecting, holdingByCallback, persist, pollMs, quorumLeaseMs } from './common.js'

const library = 'redlock-universal'
const retryAttempts = Number.MAX_SAFE_INTEGER

const openWith =
  (options: Omit<CreateLockConfig, 'adapter' | 'key'>): Contender['open'] =>
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
      close: disconnecting(redis),
    }
  }

export const redlockUniversal: readonly Contender[] = [
  {
    library,
    configuration: 'best',
    settings: `performance lean, retryDelay ${pollMs}, retryAttempts without limit`,
    waits: 'polling',
    imports: ['ioredis', library],
    open: openWith({ performance: 'lean', retryDelay: pollMs, retryAttempts }),
    async hold(url, ttl) {
      const { createLock, IoredisAdapter } = await import('redlock-universal')
      const adapter = new IoredisAdapter(new Redis(url))
      return holdingByCallback((key, body) =>
        createLock({ adapter, key, ttl, performance: 'lean' }).using(body),
      )
    },
    async openQuorum(urls) {
      const { createRedlock, IoredisAdapter, LockAcquisitionError } = await import('redlock-universal')
      const clients = urls.map((url) => new Redis(url))
      const adapters = clients.map((client) => new IoredisAdapter(client))
      return {
        async enter(key) {
          const lock = createRedlock({
            adapters,
            key,
            ttl: quorumLeaseMs,
            retryDelay: pollMs,
            retryAttempts,
          })
          const handle = await persist(
            () => lock.acquire(),
            (error) => error instanceof LockAcquisitionError,
          )
          return async () => {
            await lock.release(handle).catch(() => false)
          }
        },
        close: disconnecting(...clients),
      }
    },
  },
  {
    library,
    configuration: 'defaults',
    settings: 'none; a lock object for each acquisition; called again when it gives up after 3 retries',
    waits: 'polling',
    open: openWith({}),
  },
]
