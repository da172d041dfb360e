import { withRedis } from '@holdfast/testkit/process'
import type { Redis } from 'ioredis'
import { median } from 'simple-statistics'
import type { Session } from '../contender.js'
import { measureHandOvers } from './measure-hand-overs.js'
import { measureClients, measureRefreshes, measureRenewals } from './measure-housekeeping.js'
import { measureLocks } from './measure-locks.js'
import { idleShareOf, meter } from './meter.js'

export interface MeasureOrder {
  readonly url: string
  readonly isTrial: boolean
}

/** What the steps of a lock cost on one server. In a process of its own, whose CPU time is the client's only. */
export function measureCosts(_session: Session, { url, isTrial }: MeasureOrder) {
  return withRedis(url, async (redis) => {
    const count = isTrial ? 50 : 5_000
    await ping(redis, count)
    const idleShare = await idleShareOf(redis, 500)
    let tookUs: number[] = []
    const pinged = await meter(redis, idleShare, async () => {
      tookUs = await ping(redis, count)
    })
    const linkUs = Math.max(0, median(tookUs) - (pinged.redisUs + pinged.clientUs) / count) / 2
    const locks = await measureLocks(url, redis, idleShare, count)
    const handOvers = await measureHandOvers(url, redis, idleShare, count)
    const renewals = await measureRenewals(url, redis, idleShare, count)
    const refreshes = await measureRefreshes(url, redis, idleShare, count)
    const clientCount = isTrial ? 5 : 200
    const clients = await measureClients(url, redis, idleShare, clientCount, renewals.redisSingleRenewalUs)
    return { linkUs, ...locks, ...handOvers, ...renewals, ...refreshes, ...clients }
  })
}

/** How long each PING took, in wall-clock time. */
async function ping(redis: Redis, count: number): Promise<number[]> {
  const tookUs: number[] = []
  for (let n = 0; n < count; n += 1) {
    const sentAt = performance.now()
    await redis.ping()
    tookUs.push((performance.now() - sentAt) * 1_000)
  }
  return tookUs
}
