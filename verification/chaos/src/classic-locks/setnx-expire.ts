import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

/**
 * Stage 2. The key gets a time to live, in a command of its own.
 *
 * "Redis in Action" names the worst place to crash, between the two, and has every later client set a missing expiry
 * (J. L. Carlson, Manning 2013, 6.2.5: https://redis.io/ebook/part-2-core-concepts/chapter-6-application-components-in-redis/6-2-distributed-locking/6-2-5-locks-with-timeouts/).
 * Most copies leave that repair out, as this one does.
 */
export class SetnxExpireLock implements ClassicLock {
  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  async tryAcquire(): Promise<boolean> {
    if ((await this.redis.setnx(this.key, 'locked')) === 0) return false
    await this.redis.pexpire(this.key, this.leaseMs)
    return true
  }

  async release(): Promise<void> {
    await this.redis.del(this.key)
  }
}
