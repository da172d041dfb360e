import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

/**
 * Stage 1. What SETNX, there since Redis 1.0, suggests at first sight: the client that creates the key has the lock.
 *
 * The page of SETNX in Redis's own documentation warns at once of the client that fails before its DEL
 * (https://redis.io/commands/setnx/, "Handling deadlocks"). Then the lock stays held indefinitely.
 */
export class SetnxDelLock implements ClassicLock {
  constructor(
    readonly redis: Redis,
    readonly key: string,
  ) {}

  async tryAcquire(): Promise<boolean> {
    return (await this.redis.setnx(this.key, 'locked')) === 1
  }

  async release(): Promise<void> {
    await this.redis.del(this.key)
  }
}
