import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { pollMs } from './common-settings.js'

interface Waiting {
  readonly retry?: { readonly delay: number }
}

const openWith =
  (waiting: Waiting): Contender['open'] =>
  async (url) => {
    const { Verrou } = await import('@verrou/core')
    const { redisStore } = await import('@verrou/core/drivers/redis')
    const connection = new Redis(url)
    const verrou = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection }) } } })
    return {
      async enter(name) {
        const lock = verrou.createLock(name)
        if (!(await lock.acquire(waiting))) throw new Error(`${name} was not acquired, without a limit`)
        return () => lock.release()
      },
      close() {
        connection.disconnect()
        return Promise.resolve()
      },
    }
  }

const library = '@verrou/core'

export const best: Contender = {
  library,
  configuration: 'best',
  settings: `Redis store; retry.delay ${pollMs}`,
  open: openWith({ retry: { delay: pollMs } }),
}

export const defaults: Contender = {
  library,
  configuration: 'defaults',
  settings: 'Redis store, no options',
  open: openWith({}),
}
