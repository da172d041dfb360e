import type { Redis } from 'ioredis'
import { until } from '@holdfast/testkit'

/** One lock as Redis has it. Key names are spelled out here on purpose: they are part of the protocol. */
export class LockInRedis {
  readonly key: string
  readonly queueKey: string
  readonly waitersKey: string
  readonly fenceKey: string
  readonly #redis: Redis

  /** @param prefix - `''` for one that is shared with Redisson, whose tokens are elsewhere */
  constructor(redis: Redis, name: string, prefix = 'lock:') {
    this.#redis = redis
    this.key = `${prefix}${name}`
    const base = this.key.includes('{') ? this.key : `{${this.key}}`
    this.queueKey = `${base}:fifo`
    this.waitersKey = `${base}:waiters`
    this.fenceKey = `${base}:fence`
  }

  /** Hold counts by owner; empty when the lock is free. */
  counts(): Promise<Record<string, string>> {
    return this.#redis.hgetall(this.key)
  }

  async holder(): Promise<string | undefined> {
    return Object.keys(await this.counts())[0]
  }

  ttlMs(): Promise<number> {
    return this.#redis.pttl(this.key)
  }

  /** Waiting owners, first in line first. */
  queue(): Promise<string[]> {
    return this.#redis.lrange(this.queueKey, 0, -1)
  }

  /** Queue entries and tombstones by owner. */
  places(): Promise<Record<string, string>> {
    return this.#redis.hgetall(this.waitersKey)
  }

  /** Owners whose late asks are refused. */
  async gone(): Promise<string[]> {
    const places = Object.entries(await this.places())
    return places.filter(([, place]) => place.startsWith('gone ')).map(([owner]) => owner)
  }

  async untilQueued(count: number, timeoutMs = 10_000): Promise<void> {
    await until(async () => (await this.queue()).length === count, {
      what: `${count} in the queue of ${this.key}`,
      timeoutMs,
    })
  }

  async untilFree(timeoutMs?: number): Promise<void> {
    await until(async () => (await this.holder()) === undefined, {
      what: `${this.key} to be free`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  }
}
