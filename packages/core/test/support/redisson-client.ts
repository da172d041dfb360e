import { randomUUID } from 'node:crypto'
import type { RedisServer } from '@holdfast/testkit'
import { closeAfterTest, openRedisClient } from './clients.js'

// The transitions of Redisson's lock and fenced lock, as they look on the wire. Key names are spelled out on purpose.

const acquire = `
local free = redis.call('EXISTS', KEYS[1]) == 0
if not free and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return { redis.call('PTTL', KEYS[1]), -1 }
end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { -1, KEYS[2] and redis.call('INCR', KEYS[2]) or 0 }`

const unlock = `
local answered = redis.call('GET', KEYS[3])
if answered then
  return tonumber(answered)
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
local isLast = redis.call('HINCRBY', KEYS[1], ARGV[2], -1) <= 0
if isLast then
  redis.call('DEL', KEYS[1])
  redis.call(ARGV[3], KEYS[2], '0')
else
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
redis.call('SET', KEYS[3], isLast and 1 or 0, 'PX', ARGV[4])
return isLast and 1 or 0`

const force = `
if redis.call('DEL', KEYS[1]) == 1 then
  redis.call(ARGV[1], KEYS[2], '0')
  return 1
end
return 0`

/** Redisson's rule for the names of what belongs to an object. */
export const tagged = (lock: string): string => (lock.includes('{') ? lock : `{${lock}}`)

/** The channel on which Redisson hears of the releases of that lock. */
export const releaseChannel = (lock: string): string => `redisson_lock__channel:${tagged(lock)}`

/** One thread of a Java process, as far as Redis sees it. */
export class RedissonThread {
  readonly owner: string
  readonly #redis
  readonly #publish: 'PUBLISH' | 'SPUBLISH'

  /** @param server - the one that has the lock */
  constructor(
    server: Pick<RedisServer, 'url'>,
    publish: 'PUBLISH' | 'SPUBLISH',
    thread = 1 + Math.floor(Math.random() * 100),
  ) {
    this.owner = `${randomUUID()}:${thread}`
    this.#redis = openRedisClient(server.url)
    this.#publish = publish
  }

  /** Resolves with `null` when it got in, else with the TTL in the reply. */
  async tryLock(lock: string, leaseMs = 30_000): Promise<number | null> {
    const reply = await this.#redis.eval(acquire, 1, lock, leaseMs, this.owner)
    const [ttlMs] = numbers(reply)
    return ttlMs === -1 ? null : (ttlMs ?? NaN)
  }

  /** Resolves with the token, or with `null` when it did not get in. */
  async tryLockFenced(lock: string, leaseMs = 30_000): Promise<number | null> {
    const token = `redisson_lock_token:${tagged(lock)}`
    const reply = await this.#redis.eval(acquire, 2, lock, token, leaseMs, this.owner)
    const [ttlMs, drawn] = numbers(reply)
    return ttlMs === -1 ? (drawn ?? NaN) : null
  }

  /** Resolves with whether it was the last level; rejects when this thread does not hold it. */
  async unlock(lock: string): Promise<boolean> {
    const latch = `redisson_unlock_latch:${tagged(lock)}:${randomUUID()}`
    const keys = [lock, releaseChannel(lock), latch]
    const reply = await this.#redis.eval(unlock, 3, ...keys, 30_000, this.owner, this.#publish, 16_000)
    if (reply === null) throw new Error(`${this.owner} does not hold ${lock}`)
    await this.#redis.del(latch)
    return reply === 1
  }

  async forceUnlock(lock: string): Promise<boolean> {
    return (await this.#redis.eval(force, 2, lock, releaseChannel(lock), this.#publish)) === 1
  }

  holdCount(lock: string): Promise<number> {
    return this.#redis.hget(lock, this.owner).then(Number)
  }

  /** Publishes on the lock's channel whatever is given. */
  async say(lock: string, message: string): Promise<void> {
    const channel = releaseChannel(lock)
    await (this.#publish === 'SPUBLISH'
      ? this.#redis.spublish(channel, message)
      : this.#redis.publish(channel, message))
  }

  /**
   * Waits for the lock as a Java thread does: hears the channel, and asks again at a message or when the TTL that it was
   * told ends. Resolves when it listens; `entered` does once it is in.
   */
  async wait(lock: string, leaseMs = 30_000): Promise<{ entered: Promise<void> }> {
    const messages = await listen(this.#redis.options, this.#publish, lock)
    const enter = async (): Promise<void> => {
      for (;;) {
        const heard = messages.next()
        const ttlMs = await this.tryLock(lock, leaseMs)
        if (ttlMs === null) break
        await heard(ttlMs)
      }
      messages.end()
    }
    return { entered: enter() }
  }
}

export interface Messages {
  readonly all: readonly string[]
  /** Called before one looks: then resolves with the next message, or when the time is over. */
  next(): (withinMs: number) => Promise<void>
  end(): void
}

/** Listens on a channel as a client of Redisson does, that of the lock by default; resolves when the subscription is confirmed. */
export async function listen(
  { host, port }: { host?: string | undefined; port?: number | undefined },
  publish: 'PUBLISH' | 'SPUBLISH',
  lock: string,
  channel = releaseChannel(lock),
): Promise<Messages> {
  const subscriber = openRedisClient(`redis://${host ?? ''}:${String(port)}`)
  const all: string[] = []
  const wakes = new Set<() => void>()
  const onMessage = (_: string, message: string): void => {
    all.push(message)
    for (const wake of wakes) wake()
  }
  subscriber.on('message', onMessage)
  subscriber.on('smessage', onMessage)
  await (publish === 'SPUBLISH' ? subscriber.ssubscribe(channel) : subscriber.subscribe(channel))
  closeAfterTest(() => {
    for (const wake of wakes) wake()
    return Promise.resolve()
  })
  return {
    all,
    next() {
      let wake: () => void = () => undefined
      const heard = new Promise<void>((resolve) => {
        wake = resolve
      })
      wakes.add(wake)
      return async (withinMs) => {
        const timer = setTimeout(wake, withinMs)
        await heard
        clearTimeout(timer)
        wakes.delete(wake)
      }
    },
    end() {
      subscriber.disconnect()
    },
  }
}

const numbers = (reply: unknown): number[] => (Array.isArray(reply) ? reply.map(Number) : [])
