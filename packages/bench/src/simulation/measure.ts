// A separate process that measures costs, so that its CPU time is the client's only.
import { fromParent, tellParent, withRedis } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { median } from 'simple-statistics'
import { measureHandOvers } from './measure-hand-overs.js'
import { measureLocks } from './measure-locks.js'
import { measureClients, measureRefreshes, measureRenewals } from './measure-housekeeping.js'
import { idleShareOf, meter } from './meter.js'

const [url = ''] = process.argv.slice(2)

const { isTrial } = await fromParent('measure')
const costs = await withRedis(url, async (redis) => {
  const count = isTrial === true ? 50 : 5_000
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
  const clients = await measureClients(
    url,
    redis,
    idleShare,
    isTrial === true ? 5 : 200,
    renewals.redisSingleRenewalUs,
  )
  return { linkUs, ...locks, ...handOvers, ...renewals, ...refreshes, ...clients }
})
await tellParent({ type: 'measured', costs })

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
