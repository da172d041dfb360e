import type { Lease } from '@holdfast/core'
import type { Redis } from 'ioredis'
import { clientsAtOnce, inLanes, open } from './lanes.js'
import { bytesOf, meter } from './meter.js'

/** The cost of acquiring, releasing and queueing, with many clients at once. */
export async function measureLocks(url: string, redis: Redis, idleShare: number, count: number) {
  const holders = Array.from({ length: clientsAtOnce }, () => open(url))
  const [holder = open(url)] = holders
  const waiting = open(url)
  try {
    await Promise.all(holders.map(async (each, n) => (await each.getLock(`warm-up:${n}`).lock()).unlock()))
    const leases: Lease[] = []
    const acquire = await meter(redis, idleShare, () =>
      inLanes(count, async (n, lane) => {
        leases.push(await (holders[lane] ?? holder).getLock(`lock:${n}`).lock())
      }),
    )
    const release = await meter(redis, idleShare, () => inLanes(count, async (n) => leases[n]?.unlock()))

    const head = await waiting.getLock('wanted').lock()
    const giveUp = new AbortController()
    const waits: Promise<unknown>[] = []
    const request = await meter(redis, idleShare, () =>
      inLanes(count, async (_, lane) => {
        const client = holders[lane] ?? holder
        const isWaiting = new Promise<void>((resolve) => client.once('waiting', () => resolve()))
        waits.push(client.getLock('wanted').lock({ signal: giveUp.signal }))
        await isWaiting
      }),
    )
    const redisWaiterBytes = (await bytesOf(redis, '{lock:wanted}:fifo', '{lock:wanted}:waiters')) / count
    const ended = Promise.allSettled(waits)
    giveUp.abort()
    await ended
    await head.unlock()
    return {
      redisAcquireUs: acquire.redisUs / count,
      redisReleaseUs: release.redisUs / count,
      redisAskUs: request.redisUs / count,
      clientAskUs: request.clientUs / count,
      redisWaiterBytes,
    }
  } finally {
    await Promise.all([...holders, waiting].map((client) => client.close()))
  }
}
