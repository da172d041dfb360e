import { Holdfast, type EngineHoldfastOptions, type HoldfastOptions } from '@holdfast/core'
import type { Contender, Session } from '../contender.js'

export const holdfast: Contender = {
  library: 'Holdfast',
  configuration: 'best',
  settings: 'none: these are the defaults',
  open: (url) => Promise.resolve(openSession({ redis: url })),
}

/** A session on a client with these options. */
export function openSession(options: HoldfastOptions | EngineHoldfastOptions): Session {
  const client = openClient(options)
  return {
    async enter(name) {
      const lease = await client.getLock(name).lock()
      return () => lease.unlock()
    },
    nest: (name) => {
      const lock = client.getLock(name)
      return lock.withLock(() => lock.withLock(() => undefined))
    },
    together: (names) => client.getMultiLock(names).withLock(() => undefined),
    close: () => client.close(),
  }
}

/** A client that may have any number of waiters. */
export function openClient(options: HoldfastOptions | EngineHoldfastOptions): Holdfast {
  const client = new Holdfast({ maxWaiters: 1_000_000, ...options })
  client.on('error', (error) => console.error(error))
  return client
}
