import type { Redis } from 'ioredis'
import type { ClassicLock } from './classic-lock.js'

/**
 * Stage 5. The value is the instant at which the lease ends, by the holder's clock; a client that finds it
 * expired takes over by GETSET, and has won if the old value was still the expired one.
 *
 * Redis's documentation taught it from the start (page of SETNX, "Handling deadlocks", for instance
 * https://raw.githubusercontent.com/antirez/redis/2.2.14/doc/SetnxCommand.html), with the advice that a holder looks
 * at the time before its DEL. It compares clocks of different machines: one that is ahead takes a live lock.
 */
export class GetsetTimestampLock implements ClassicLock {
  endsAt = 0

  constructor(
    readonly redis: Redis,
    readonly key: string,
    readonly leaseMs: number,
    readonly now: () => number,
  ) {}

  async tryAcquire(): Promise<boolean> {
    this.endsAt = this.now() + this.leaseMs
    if ((await this.redis.setnx(this.key, this.endsAt)) === 1) return true
    if (Number(await this.redis.get(this.key)) > this.now()) return false
    return Number(await this.redis.getset(this.key, this.endsAt)) <= this.now()
  }

  async release(): Promise<void> {
    if (this.now() < this.endsAt) await this.redis.del(this.key)
  }
}
