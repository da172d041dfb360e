import { Redis } from 'ioredis'
import type { Contender, Session } from '../contender.js'
import { disconnecting, holdingByCallback, leaseMs, persist, quorumLeaseMs } from './common.js'
import { redlockSettings, type RedlockSettings } from './redlock-settings.js'

/** What redlock 5 and its fork export. */
interface Redlock5 {
  readonly Redlock: new (
    clients: Redis[],
    settings?: RedlockSettings,
  ) => {
    on(event: 'error', listener: (error: unknown) => void): unknown
    acquire(names: string[], leaseMs: number): Promise<{ release(): Promise<unknown> }>
    using(names: string[], leaseMs: number, routine: (signal: AbortSignal) => Promise<void>): Promise<unknown>
  }
  readonly ExecutionError: abstract new (...args: never[]) => Error
  readonly ResourceLockedError: abstract new (...args: never[]) => Error
}

/** redlock 5, or a fork of it. */
export function redlock5Like(
  library: string,
  packageName: string,
  load: () => Promise<Redlock5>,
): readonly Contender[] {
  const open = async (urls: readonly string[], settings: RedlockSettings): Promise<Session> => {
    const { Redlock, ExecutionError, ResourceLockedError } = await load()
    const clients = urls.map((url) => new Redis(url))
    const redlock = new Redlock(clients, settings)
    const isQuorum = urls.length > 1
    // With several masters it reports each attempt that found the lock taken.
    redlock.on('error', (error) => {
      if (!isQuorum && !(error instanceof ResourceLockedError)) console.error(error)
    })
    return {
      async enter(name) {
        const lock = await persist(
          () => redlock.acquire([name], isQuorum ? quorumLeaseMs : leaseMs),
          (error) => error instanceof ExecutionError,
        )
        return async () => {
          const released = lock.release()
          await (isQuorum ? released.catch(() => undefined) : released)
        }
      },
      close: disconnecting(...clients),
    }
  }
  const { best, defaults, quorum } = redlockSettings
  return [
    {
      library,
      ...best,
      waits: 'polling',
      imports: ['ioredis', packageName],
      open: (url) => open([url], best.options),
      openQuorum: (urls) => open(urls, quorum),
      async hold(url, leaseMs) {
        const { Redlock } = await load()
        const redlock = new Redlock([new Redis(url)])
        return holdingByCallback((name, body) => redlock.using([name], leaseMs, body))
      },
    },
    { library, ...defaults, waits: 'polling', open: (url) => open([url], defaults.options) },
  ]
}

export const redlock5 = redlock5Like('redlock 5', 'redlock-5', async () => {
  const { default: Redlock, ...errors } = await import('redlock-5')
  return { Redlock, ...errors }
})
