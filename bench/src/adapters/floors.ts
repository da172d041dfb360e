import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Contender } from '../contender.js'
import { disconnecting, leaseMs } from './common.js'

/** The floor of two round trips: one to acquire, one to release. It locks nothing. */
export const ping: Contender = {
  library: 'PING',
  isFloor: true,
  settings: 'two PINGs on bare ioredis',
  waits: 'never',
  imports: ['ioredis'],
  open(url) {
    const redis = new Redis(url)
    return Promise.resolve({
      async enter() {
        await redis.ping()
        return async () => {
          await redis.ping()
        }
      },
      close: disconnecting(redis),
    })
  },
}

const compareAndDelete = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/** The floor of a cycle: the minimum of commands, on a bare client. It does not wait. */
export const setAndDelete: Contender = {
  library: 'SET and DEL',
  isFloor: true,
  settings: `SET NX PX, and a compare-and-delete by EVALSHA, on bare ioredis`,
  waits: 'never',
  imports: ['ioredis'],
  async open(url) {
    const redis = new Redis(url)
    const sha1 = await load(redis, compareAndDelete)
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
      close: disconnecting(redis),
    }
  },
}

const acquire = `
  if redis.call('SET', KEYS[1], ARGV[2], 'NX') then return 1 end
  redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
  return 0`

const release = `
  local entry = redis.call('LPOP', KEYS[2])
  if not entry then return redis.call('DEL', KEYS[1]) end
  local inbox, id = string.match(entry, '^(%S+) (%S+)$')
  redis.call('SET', KEYS[1], id)
  redis.call('PUBLISH', inbox, id)
  return 1`

/** The floor of a hand-off: the release picks the next waiter and notifies it; no failure is handled. */
export const handOffByHand: Contender = {
  library: 'hand-off by hand',
  isFloor: true,
  settings: 'two short scripts, a list and PUBLISH on bare ioredis; no lease, no checks',
  waits: 'queueing',
  async open(url) {
    const redis = new Redis(url)
    const subscriber = new Redis(url)
    const inbox = `inbox:${process.pid}`
    const waiting = new Map<string, () => void>()
    subscriber.on('message', (_channel, id) => {
      waiting.get(id)?.()
      waiting.delete(id)
    })
    await subscriber.subscribe(inbox)
    const acquireSha1 = await load(redis, acquire)
    const releaseSha1 = await load(redis, release)
    let ids = 0
    return {
      async enter(name) {
        const id = `${process.pid}:${++ids}`
        const queue = `${name}:queue`
        const notified = new Promise<void>((resolve) => waiting.set(id, resolve))
        const reply = await redis.evalsha(acquireSha1, 2, name, queue, inbox, id)
        if (reply === 1) waiting.delete(id)
        else await notified
        return async () => {
          await redis.evalsha(releaseSha1, 2, name, queue)
        }
      },
      close: disconnecting(redis, subscriber),
    }
  },
}

/** The floor of a hot key: the process that pops the only element of a list holds the lock. If it dies, the lock is never freed. */
export const tokenInList: Contender = {
  library: 'token in a list',
  isFloor: true,
  settings: 'BLPOP and LPUSH on bare ioredis, a connection for each waiter; no lease, no owner, no checks',
  waits: 'queueing',
  open(url) {
    const redis = new Redis(url)
    const connections: Redis[] = []
    const idle: Redis[] = []
    const connect = (): Redis => {
      const connection = new Redis(url)
      connections.push(connection)
      return connection
    }
    return Promise.resolve({
      async enter(name) {
        if ((await redis.set(`${name}:made`, '1', 'NX')) === 'OK') await redis.lpush(name, 'token')
        const connection = idle.pop() ?? connect()
        await connection.blpop(name, 0)
        idle.push(connection)
        return async () => {
          await redis.lpush(name, 'token')
        }
      },
      close: () => disconnecting(redis, ...connections)(),
    })
  },
}

async function load(redis: Redis, script: string): Promise<string> {
  await redis.script('LOAD', script)
  return createHash('sha1').update(script).digest('hex')
}
