import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'

/** The floor of two round trips: one to acquire, one to release. It locks nothing. */
export const ping: Contender = {
  library: 'PING',
  configuration: 'floor',
  settings: 'two PINGs on bare ioredis',
  open(url) {
    const redis = new Redis(url)
    return Promise.resolve({
      async enter() {
        await redis.ping()
        return async () => {
          await redis.ping()
        }
      },
      async nest() {
        for (let sent = 0; sent < 4; sent += 1) await redis.ping()
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    })
  },
}
