import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { leaseMs } from './common-settings.js'

const compareAndDelete = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/** The floor of a cycle: the minimum of commands, on a bare client. It does not wait. */
export const setAndDelete: Contender = {
  library: 'SET and DEL',
  configuration: 'floor',
  settings: `SET NX PX, and a compare-and-delete by EVALSHA, on bare ioredis`,
  async open(url) {
    const redis = new Redis(url)
    const sha1 = createHash('sha1').update(compareAndDelete).digest('hex')
    await redis.script('LOAD', compareAndDelete)
    let owners = 0
    return {
      async enter(name) {
        const owner = `${process.pid}:${++owners}`
        const reply = await redis.set(name, owner, 'PX', leaseMs, 'NX')
        if (reply !== 'OK') throw new Error(`${name} is held, and this floor does not wait`)
        return async () => {
          await redis.evalsha(sha1, 1, name, owner)
        }
      },
      close() {
        redis.disconnect()
        return Promise.resolve()
      },
    }
  },
}
