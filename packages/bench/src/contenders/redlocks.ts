import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { persist } from './persist.js'
import { leaseMs, pollMs } from './common-settings.js'

/** The settings that redlock and its forks have in common. */
export interface RedlockSettings {
  readonly retryDelay?: number
  readonly retryJitter?: number
  readonly retryCount?: number
}

/** Both configurations of redlock or one of its forks. */
export const redlocks = (
  library: string,
  openWith: (settings: RedlockSettings) => Contender['open'],
): { readonly best: Contender; readonly defaults: Contender } => ({
  best: {
    library,
    configuration: 'best',
    settings: `retryDelay ${pollMs}, retryJitter 0, retryCount -1 (retries indefinitely)`,
    open: openWith({ retryDelay: pollMs, retryJitter: 0, retryCount: -1 }),
  },
  defaults: {
    library,
    configuration: 'defaults',
    settings: 'none; called again when it gives up after 10 retries',
    open: openWith({}),
  },
})

/** What redlock 5 and its fork export. */
interface Redlock5 {
  readonly Redlock: new (
    clients: Redis[],
    settings: RedlockSettings,
  ) => {
    on(event: 'error', listener: (error: unknown) => void): unknown
    acquire(names: string[], leaseMs: number): Promise<{ release(): Promise<unknown> }>
  }
  readonly ExecutionError: abstract new (...args: never[]) => Error
  readonly ResourceLockedError: abstract new (...args: never[]) => Error
}

export const openRedlock5 =
  (load: () => Promise<Redlock5>) =>
  (settings: RedlockSettings): Contender['open'] =>
  async (url) => {
    const { Redlock, ExecutionError, ResourceLockedError } = await load()
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
