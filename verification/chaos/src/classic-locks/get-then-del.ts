import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

/**
 * Stage 4. The value names the lock's owner, and the holder checks it before it deletes: two commands.
 *
 * Long-lived libraries had it: redis-py until 3.0, whose WATCH lacked its MULTI
 * (https://github.com/redis/redis-py/pull/1031), and Spring Integration until 2023
 * (https://github.com/spring-projects/spring-integration/issues/8699). The lease may expire between check and delete.
 */
export class GetThenDelLock implements ClassicLock {
  readonly token = randomUUID()

  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  async tryAcquire(): Promise<boolean> {
    return (await this.redis.set(this.key, this.token, 'PX', this.leaseMs, 'NX')) === 'OK'
  }

  async release(): Promise<void> {
    if ((await this.redis.get(this.key)) === this.token) await this.redis.del(this.key)
  }
}
