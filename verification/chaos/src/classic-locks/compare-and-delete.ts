import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

const compareAndDelete = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0`

/**
 * Stage 6. Look and delete in one script: what Redis's documentation recommends for a single server today
 * (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/).
 *
 * Redis is never wrong about the lock now, but the holder can be: nothing notifies it when its lease expires.
 * M. Kleppmann drew that schedule in 2016 (https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html).
 */
export class CompareAndDeleteLock implements ClassicLock {
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
    await this.redis.eval(compareAndDelete, 1, this.key, this.token)
  }
}
