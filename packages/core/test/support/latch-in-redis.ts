import { until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'

/** One latch as Redis has it. Key names are spelled out here on purpose: they are part of the protocol. */
export class LatchInRedis {
  readonly key: string
  readonly countedKey: string
  readonly waitersKey: string
  readonly #redis: Redis

  constructor(redis: Redis, name: string) {
    this.#redis = redis
    this.key = `{lock:${name}}:latch`
    this.countedKey = `${this.key}:counted`
    this.waitersKey = `${this.key}:waiters`
  }

  get keys(): string[] {
    return [this.key, this.countedKey, this.waitersKey]
  }

  fields(): Promise<Record<string, string>> {
    return this.#redis.hgetall(this.key)
  }

  /** The channels of the clients that wait. */
  inboxes(): Promise<string[]> {
    return this.#redis.zrange(this.waitersKey, '0', '-1')
  }

  async untilWaiting(count = 1): Promise<void> {
    await until(async () => (await this.inboxes()).length === count, { what: `${count} clients to wait` })
  }
}
