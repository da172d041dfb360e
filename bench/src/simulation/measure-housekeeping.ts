import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { forEachConcurrently } from '../for-each-concurrently.js'
import { clientsAtOnce, inLanes, numbersTo, open } from './lanes.js'
import { meter, redisBytes } from './meter.js'

const watchdogTimeoutMs = 3_000
const periodMs = watchdogTimeoutMs / 3
const periods = 2

const fixed = { leaseMs: 20_000 }

/** Holds that are renewed one per command, by many clients at once, and holds that are renewed in batches. */
export async function measureRenewals(url: string, redis: Redis, idleShare: number, count: number) {
  const client = open(url, watchdogTimeoutMs)
  const clients = Array.from({ length: clientsAtOnce }, () => open(url))
  try {
    let renewals = 0
    client.on('renewed', () => {
      renewals += 1
    })
    // Redis has yet to free the buffers of closed connections.
    await sleep(periodMs)
    const before = await redisBytes(redis)
    await forEachConcurrently(numbersTo(count), async (n) => {
      await client.getLock(`held:${n}`).lock()
    })
    await sleep(periodMs)
    const redisHoldBytes = ((await redisBytes(redis)) - before) / count
    renewals = 0
    const together = await meter(redis, idleShare, () => sleep(periods * periodMs))
    if (renewals < count)
      throw new Error(`only ${renewals} renewals of ${count} locks: this machine is too busy`)

    const leases = await Promise.all(clients.map((each, n) => each.getLock(`fixed:${n}`).lock(fixed)))
    const single = await meter(redis, idleShare, () =>
      inLanes(count, async (n, lane) => leases[lane]?.extend(fixed.leaseMs + n)),
    )
    await Promise.all(leases.map((lease) => lease.unlock()))
    return {
      redisHoldBytes,
      redisSharedRenewalUs: together.redisUs / renewals,
      clientSharedRenewalUs: together.clientUs / renewals,
      redisSingleRenewalUs: single.redisUs / count,
      clientSingleRenewalUs: single.clientUs / count,
    }
  } finally {
    await Promise.all([client, ...clients].map((each) => each.close()))
  }
}

/** Queue entries that are refreshed in batches. */
export async function measureRefreshes(url: string, redis: Redis, idleShare: number, count: number) {
  const holder = open(url)
  const waiting = open(url, watchdogTimeoutMs)
  const giveUp = new AbortController()
  try {
    await holder.getLock('refreshed').lock()
    const waits = numbersTo(count).map(() => waiting.getLock('refreshed').lock({ signal: giveUp.signal }))
    const ended = Promise.allSettled(waits)
    await sleep(2 * periodMs)
    const refreshed = await meter(redis, idleShare, () => sleep(periods * periodMs))
    giveUp.abort()
    await ended
    return { redisRefreshUs: refreshed.redisUs / (periods * count) }
  } finally {
    await Promise.all([holder.close(), waiting.close()])
  }
}

/** Clients with one hold each: their housekeeping besides its renewal, and the cost of reconnecting all of them. */
export async function measureClients(
  url: string,
  redis: Redis,
  idleShare: number,
  count: number,
  singleRenewalUs: number,
) {
  const before = await redisBytes(redis)
  const clients = numbersTo(count).map(() => open(url, watchdogTimeoutMs))
  try {
    await Promise.all(clients.map((client, n) => client.getLock(`lock:${n}`).lock()))
    await sleep(periodMs)
    const redisClientBytes = ((await redisBytes(redis)) - before) / count
    const quiet = await meter(redis, idleShare, () => sleep(periods * periodMs))
    const cutOff = await meter(redis, idleShare, async () => {
      for (const type of ['normal', 'pubsub'])
        await redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')
      await sleep(periods * periodMs)
    })
    return {
      redisClientBytes,
      redisUpkeepUs: quiet.redisUs / (periods * count) - singleRenewalUs,
      redisReconnectUs: (cutOff.redisUs - quiet.redisUs) / count,
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}
