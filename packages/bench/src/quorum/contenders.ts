import { HoldfastQuorum } from '@holdfast/core'
import { Redis } from 'ioredis'
import type { Session } from '../contender.js'
import { pollMs } from '../contenders/common-settings.js'
import { persist } from '../contenders/persist.js'

/** A lock on several masters, in the configuration that is best for short waits. */
export interface QuorumContender {
  readonly library: string
  open(urls: readonly string[]): Promise<Session>
}

/** Some of the libraries now and then leave a vote behind, and then wait until its lease ends. */
const leaseMs = 1_000

const settings = { retryDelay: pollMs, retryJitter: pollMs, retryCount: -1 }

/** What redlock 5 and its fork export. */
interface Redlock5 {
  readonly Redlock: new (
    clients: Redis[],
    options: typeof settings,
  ) => {
    on(event: 'error', listener: () => void): unknown
    acquire(names: string[], durationMs: number): Promise<{ release(): Promise<unknown> }>
  }
  readonly ExecutionError: abstract new (...args: never[]) => Error
}

const disconnectAll = (clients: readonly Redis[]) => (): Promise<void> => {
  for (const client of clients) client.disconnect()
  return Promise.resolve()
}

async function openRedlock5(
  urls: readonly string[],
  { Redlock, ExecutionError }: Redlock5,
): Promise<Session> {
  const clients = urls.map((url) => new Redis(url))
  const redlock = new Redlock(clients, settings)
  // It reports each attempt that found the lock taken.
  redlock.on('error', () => undefined)
  return Promise.resolve({
    async enter(name: string) {
      const lock = await persist(
        () => redlock.acquire([name], leaseMs),
        (error) => error instanceof ExecutionError,
      )
      return async () => {
        // Some votes were not given, so some releases fail.
        await lock.release().catch(() => undefined)
      }
    },
    close: disconnectAll(clients),
  })
}

export const quorumContenders: readonly QuorumContender[] = [
  {
    library: 'Holdfast',
    open(urls) {
      const quorum = new HoldfastQuorum({ masters: urls, restartQuarantineMs: 0 })
      return Promise.resolve({
        async enter(name: string) {
          const lease = await quorum.getLock(name).lock()
          return () => lease.unlock()
        },
        close: () => quorum.close(),
      })
    },
  },
  {
    library: 'redlock 4',
    async open(urls) {
      const { default: Redlock } = await import('redlock-4')
      const clients = urls.map((url) => new Redis(url))
      const redlock = new Redlock(clients, settings)
      redlock.on('clientError', () => undefined)
      return {
        async enter(name) {
          const lock = await persist(
            () => redlock.lock(name, leaseMs),
            (error) => error instanceof Redlock.LockError,
          )
          return () => lock.unlock().catch(() => undefined)
        },
        close: disconnectAll(clients),
      }
    },
  },
  {
    library: 'redlock 5',
    async open(urls) {
      const { default: Redlock, ...errors } = await import('redlock-5')
      return openRedlock5(urls, { Redlock, ...errors })
    },
  },
  {
    library: '@sesamecare-oss/redlock',
    async open(urls) {
      return openRedlock5(urls, await import('@sesamecare-oss/redlock'))
    },
  },
  {
    library: 'redlock-universal',
    async open(urls) {
      const { createRedlock, IoredisAdapter, LockAcquisitionError } = await import('redlock-universal')
      const clients = urls.map((url) => new Redis(url))
      const adapters = clients.map((client) => new IoredisAdapter(client))
      const retryAttempts = Number.MAX_SAFE_INTEGER
      return {
        async enter(name) {
          const lock = createRedlock({ adapters, key: name, ttl: leaseMs, retryDelay: pollMs, retryAttempts })
          const handle = await persist(
            () => lock.acquire(),
            (error) => error instanceof LockAcquisitionError,
          )
          return async () => {
            await lock.release(handle).catch(() => false)
          }
        },
        close: disconnectAll(clients),
      }
    },
  },
]
