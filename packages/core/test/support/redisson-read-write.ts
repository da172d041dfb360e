import { randomUUID } from 'node:crypto'
import type { RedisServer } from '@holdfast/testkit'
import { openRedisClient } from './clients.js'
import { listen, tagged } from './redisson-client.js'

// The transitions of Redisson's read/write lock, as they look on the wire. Key names are spelled out on purpose.

const acquireRead = `
local mode = redis.call('HGET', KEYS[1], 'mode')
if mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then
  return redis.call('PTTL', KEYS[1])
end
if not mode then
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
local n = redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('SET', KEYS[2] .. ':' .. n, 1, 'PX', ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[1]))
return nil`

const releaseRead = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return nil
end
local n = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if n == 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
end
redis.call('DEL', KEYS[3] .. ':' .. (n + 1))
if redis.call('HLEN', KEYS[1]) > 1 then
  local longestMs = -3
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    for i = tonumber(redis.call('HGET', KEYS[1], field)) or 0, 1, -1 do
      longestMs = math.max(longestMs, redis.call('PTTL', KEYS[4] .. ':' .. field .. ':rwlock_timeout:' .. i))
    end
  end
  if longestMs > 0 then
    redis.call('PEXPIRE', KEYS[1], longestMs)
    return 0
  end
  if redis.call('HGET', KEYS[1], 'mode') == 'write' then
    return 0
  end
end
redis.call('DEL', KEYS[1])
redis.call(ARGV[2], KEYS[2], '0')
return 1`

const acquireWrite = `
local mode = redis.call('HGET', KEYS[1], 'mode')
if not mode then
  redis.call('HSET', KEYS[1], 'mode', 'write', ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
if mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) + ARGV[1])
  return nil
end
return redis.call('PTTL', KEYS[1])`

const releaseWrite = `
if redis.call('HGET', KEYS[1], 'mode') ~= 'write' or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 0
end
redis.call('HDEL', KEYS[1], ARGV[1])
if redis.call('HLEN', KEYS[1]) == 1 then
  redis.call('DEL', KEYS[1])
  redis.call(ARGV[2], KEYS[2], '1')
else
  redis.call('HSET', KEYS[1], 'mode', 'read')
end
return 1`

const force = `
if redis.call('HGET', KEYS[1], 'mode') ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call(ARGV[2], KEYS[2], ARGV[1] == 'write' and '1' or '0')
return 1`

export type Side = 'read' | 'write'

/** The channel on which Redisson hears of the releases of that read/write lock. */
export const readWriteChannel = (lock: string): string => `redisson_rwlock:${tagged(lock)}`

/** The key that lives as long as the hold of one reader, in Redisson as here. */
export const holdKey = (lock: string, owner: string, n = 1): string =>
  `${tagged(lock)}:${owner}:rwlock_timeout:${n}`

/** One thread of a Java process with a read/write lock, as far as Redis sees it. */
export class RedissonReadWriteThread {
  readonly owner = `${randomUUID()}:${1 + Math.floor(Math.random() * 100)}`
  readonly #redis
  readonly #publish: 'PUBLISH' | 'SPUBLISH'

  /** @param server - the one that has the lock */
  constructor(server: Pick<RedisServer, 'url'>, publish: 'PUBLISH' | 'SPUBLISH') {
    this.#redis = openRedisClient(server.url)
    this.#publish = publish
  }

  /** Resolves with `null` when it got in, else with the TTL in the reply. */
  async tryLock(side: Side, lock: string, leaseMs = 30_000): Promise<number | null> {
    const { owner } = this
    const hold = `${tagged(lock)}:${owner}:rwlock_timeout`
    const reply = await (side === 'read'
      ? this.#redis.eval(acquireRead, 2, lock, hold, leaseMs, owner, `${owner}:write`)
      : this.#redis.eval(acquireWrite, 1, lock, leaseMs, `${owner}:write`))
    return reply === null ? null : Number(reply)
  }

  /** Rejects when this thread does not hold it. */
  async unlock(side: Side, lock: string): Promise<void> {
    const { owner } = this
    const channel = readWriteChannel(lock)
    const hold = `${tagged(lock)}:${owner}:rwlock_timeout`
    const reply = await (side === 'read'
      ? this.#redis.eval(releaseRead, 4, lock, channel, hold, tagged(lock), owner, this.#publish)
      : this.#redis.eval(releaseWrite, 2, lock, channel, `${owner}:write`, this.#publish))
    if (reply === null) throw new Error(`${owner} does not hold ${lock}`)
  }

  async forceUnlock(side: Side, lock: string): Promise<boolean> {
    return (await this.#redis.eval(force, 2, lock, readWriteChannel(lock), side, this.#publish)) === 1
  }

  /** Waits as a Java thread does. Resolves when it listens; `entered` does once it is in. */
  async wait(side: Side, lock: string): Promise<{ entered: Promise<void> }> {
    const messages = await listen(this.#redis.options, this.#publish, lock, readWriteChannel(lock))
    const enter = async (): Promise<void> => {
      for (;;) {
        const heard = messages.next()
        const ttlMs = await this.tryLock(side, lock)
        if (ttlMs === null) break
        await heard(ttlMs)
      }
      messages.end()
    }
    return { entered: enter() }
  }
}
