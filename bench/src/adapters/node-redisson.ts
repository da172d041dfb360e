import { EventEmitter } from 'node:events'
import type { IRedissonConfig } from 'node-redisson'
import type { Contender } from '../contender.js'

const library = 'node-redisson'

const openWith =
  (config: Omit<IRedissonConfig, 'redis'>): Contender['open'] =>
  async (url) => {
    const { Redisson } = await import('node-redisson')
    const { hostname, port } = new URL(url)
    // Its waiters listen to one internal emitter. Node would warn whenever there are more than ten listeners.
    EventEmitter.defaultMaxListeners = 0
    const redisson = new Redisson({ ...config, redis: { options: { host: hostname, port: Number(port) } } })
    return {
      async enter(name) {
        // Re-entry is per lock object: tasks that shared one would all enter.
        const lock = redisson.getLock(name)
        await lock.lock()
        return () => lock.unlock()
      },
      async nest(name) {
        const lock = redisson.getLock(name)
        await lock.lock()
        await lock.lock()
        await lock.unlock()
        await lock.unlock()
      },
      close: () => redisson.quit(),
    }
  }

export const nodeRedisson: readonly Contender[] = [
  {
    library,
    configuration: 'best',
    settings: 'eventAdapter streams; a lock object for each task',
    waits: 'notified',
    // It creates its client itself, possibly with another version of ioredis.
    imports: [library],
    open: openWith({ eventAdapter: 'streams' }),
  },
  {
    library,
    configuration: 'defaults',
    settings: 'none; a lock object for each task',
    // A waiter that stops listening unsubscribes all others of its process, which then wait for the lease to expire.
    waits: 'stalling',
    open: openWith({}),
  },
]
