import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

/**
 * Stage 3. Since Redis 2.6.12 one SET creates the key and its expiry. The release still deletes whatever is there.
 *
 * The page of SET shows this form first and then says why a value of one's own is better
 * (https://redis.io/commands/set/, "Patterns"). A DEL that comes after the lease deletes the next holder's lock; see
 * also https://github.com/lukas-krecan/ShedLock/issues/2583.
 */
export class SetNxDelLock implements ClassicLock {
  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  async tryAcquire(): Promise<boolean> {
    return (await this.redis.set(this.key, 'locked', 'PX', this.leaseMs, 'NX')) === 'OK'
  }

  async release(): Promise<void> {
    await this.redis.del(this.key)
  }
}
