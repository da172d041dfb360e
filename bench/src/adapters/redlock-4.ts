import { Redis } from 'ioredis'
import type { Contender, Session } from '../contender.js'
import { disconnecting, leaseMs, persist, quorumLeaseMs } from './common.js'
import { redlockSettings, type RedlockSettings } from './redlock-settings.js'

const library = 'redlock 4'
const { best, defaults, quorum } = redlockSettings

async function open(urls: readonly string[], settings: RedlockSettings): Promise<Session> {
  const { default: Redlock } = await import('redlock-4')
  const clients = urls.map((url) => new Redis(url))
  const redlock = new Redlock(clients, settings)
  const isQuorum = urls.length > 1
  redlock.on('clientError', (error) => {
    if (!isQuorum) console.error(error)
  })
  return {
    async enter(name) {
      const lock = await persist(
        () => redlock.lock(name, isQuorum ? quorumLeaseMs : leaseMs),
        (error) => error instanceof Redlock.LockError,
      )
      return () => (isQuorum ? lock.unlock().catch(() => undefined) : lock.unlock())
    },
    close: disconnecting(...clients),
  }
}

export const redlock4: readonly Contender[] = [
  {
    library,
    ...best,
    waits: 'polling',
    imports: ['ioredis', 'redlock-4'],
    open: (url) => open([url], best.options),
    openQuorum: (urls) => open(urls, quorum),
  },
  { library, ...defaults, waits: 'polling', open: (url) => open([url], defaults.options) },
]
