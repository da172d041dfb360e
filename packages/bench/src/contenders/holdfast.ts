import { Holdfast } from '@holdfast/core'
import type { Contender } from '../contender.js'

export const holdfast: Contender = {
  library: 'Holdfast',
  configuration: 'best',
  settings: 'none: these are the defaults',
  open(url) {
    const client = new Holdfast({ redis: url, maxWaiters: 1_000_000 })
    client.on('error', (error) => console.error(error))
    return Promise.resolve({
      async enter(name) {
        const lease = await client.getLock(name).lock()
        return () => lease.unlock()
      },
      nest: (name) => {
        const lock = client.getLock(name)
        return lock.withLock(() => lock.withLock(() => undefined))
      },
      close: () => client.close(),
    })
  },
}
