import { randomUUID } from 'node:crypto'
import { openRedisClient } from './clients.js'
import { readWriteChannel, releaseChannel, tagged, type Publish } from './redisson-channels.js'

// What a thread in Java leaves in Redis and publishes while it holds a lock, for cases that its timing would make rare. How
// Redisson itself gets in, waits and leaves is tested with Redisson itself: verification/redisson.

const enter = `
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HGET', KEYS[1], 'mode') ~= ARGV[2] then
  return redis.call('PTTL', KEYS[1])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[1]))
if KEYS[2] then
  redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
end
return nil`

const leave = `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('DEL', KEYS[2])
if redis.call('HGET', KEYS[1], 'mode') and redis.call('HLEN', KEYS[1]) > 1 then
  return 1
end
redis.call('DEL', KEYS[1])
redis.call(ARGV[2], ARGV[3], ARGV[4])
return 1`

/** An owner of a lock that is not of Holdfast. */
export class OtherOwner {
  readonly owner: string
  readonly #redis
  readonly #publish: Publish

  /** @param server - the one that has the lock */
  constructor(server: { readonly url: string }, publish: Publish, thread = 7) {
    this.owner = `${randomUUID()}:${thread}`
    this.#redis = openRedisClient(server.url)
    this.#publish = publish
  }

  /** Enters a free lock and resolves with `null`, else with the TTL of who holds it. */
  tryLock(lock: string, leaseMs = 30_000): Promise<number | null> {
    return this.#enter([lock], leaseMs, '', this.owner, 1)
  }

  /** Rejects when it does not hold the lock. */
  unlock(lock: string): Promise<void> {
    return this.#leave([lock, tagged(lock)], this.owner, releaseChannel(lock), '0')
  }

  /** Frees the lock, whoever holds it. */
  async forceUnlock(lock: string): Promise<void> {
    await this.#redis.del(lock)
    await this.say(lock, '0')
  }

  /** Publishes on the lock's channel whatever is given. */
  async say(lock: string, message: string): Promise<void> {
    const channel = releaseChannel(lock)
    await (this.#publish === 'SPUBLISH'
      ? this.#redis.spublish(channel, message)
      : this.#redis.publish(channel, message))
  }

  /** Enters the read side of a read/write lock, unless a writer is in. */
  tryRead(lock: string, leaseMs = 30_000): Promise<number | null> {
    return this.#enter([lock, holdKey(lock, this.owner)], leaseMs, 'read', 'mode', 'read', this.owner, 1)
  }

  tryWrite(lock: string, leaseMs = 30_000): Promise<number | null> {
    return this.#enter([lock], leaseMs, '', 'mode', 'write', `${this.owner}:write`, 1)
  }

  unlockRead(lock: string): Promise<void> {
    return this.#leave([lock, holdKey(lock, this.owner)], this.owner, readWriteChannel(lock), '0')
  }

  unlockWrite(lock: string): Promise<void> {
    return this.#leave([lock, tagged(lock)], `${this.owner}:write`, readWriteChannel(lock), '1')
  }

  async #enter(keys: string[], leaseMs: number, ...args: (string | number)[]): Promise<number | null> {
    const ttlMs = await this.#redis.eval(enter, keys.length, ...keys, leaseMs, ...args)
    return ttlMs === null ? null : Number(ttlMs)
  }

  async #leave(keys: string[], field: string, channel: string, message: string): Promise<void> {
    const left = await this.#redis.eval(leave, 2, ...keys, field, this.#publish, channel, message)
    if (left !== 1) throw new Error(`${this.owner} does not hold ${keys[0]}`)
  }
}

/** The key that lives as long as the hold of one reader. */
export const holdKey = (lock: string, owner: string): string => `${tagged(lock)}:${owner}:rwlock_timeout:1`
