import type { Holdfast } from '@holdfast/core'
import type { Redis } from 'ioredis'
import { median } from 'simple-statistics'
import { open } from './lanes.js'
import { meter } from './meter.js'

/** The cost of handing one lock over between waiters of one client. */
export async function measureHandOvers(url: string, redis: Redis, idleShare: number, count: number) {
  const holder = open(url)
  const waiting = open(url)
  try {
    const queue = new Queue(waiting)
    const warm = await holder.getLock('wanted').lock()
    for (let n = 0; n < 50; n += 1) await queue.grow()
    await warm.unlock()
    await queue.empty()

    const head = await holder.getLock('wanted').lock()
    for (let n = 0; n < count; n += 1) await queue.grow()
    let clientBeforeReleaseUs = NaN
    let medianHandOverUs = NaN
    const handOver = await meter(redis, idleShare, async () => {
      await head.unlock()
      ;({ beforeReleaseUs: clientBeforeReleaseUs, betweenGrantsUs: medianHandOverUs } = await queue.empty())
    })
    return {
      redisHandOverUs: handOver.redisUs / count,
      clientHandOverUs: handOver.clientUs / count,
      clientBeforeReleaseUs,
      wallHandOverUs: medianHandOverUs,
    }
  } finally {
    await Promise.all([holder.close(), waiting.close()])
  }
}

/** Waiters of one client for one lock, which release it as soon as they hold it. */
class Queue {
  readonly #client: Holdfast
  #grantedAt: number[] = []
  #served: Promise<number>[] = []

  constructor(client: Holdfast) {
    this.#client = client
    client.on('granted', () => this.#grantedAt.push(performance.now()))
  }

  /** Adds a waiter. Resolves once it is queued. */
  async grow(): Promise<void> {
    const isWaiting = new Promise<void>((resolve) => this.#client.once('waiting', () => resolve()))
    this.#served.push(this.#serve())
    await isWaiting
  }

  /** Resolves when all are served. Medians, since other load on the machine may delay single hand-overs. */
  async empty(): Promise<{ beforeReleaseUs: number; betweenGrantsUs: number }> {
    const beforeReleaseMs = await Promise.all(this.#served)
    const grantedAt = this.#grantedAt
    const apartMs = grantedAt.slice(1).map((at, n) => at - (grantedAt[n] ?? NaN))
    this.#served = []
    this.#grantedAt = []
    return { beforeReleaseUs: median(beforeReleaseMs) * 1_000, betweenGrantsUs: median(apartMs) * 1_000 }
  }

  async #serve(): Promise<number> {
    const lease = await this.#client.getLock('wanted').lock()
    const grantedAt = this.#grantedAt.at(-1) ?? NaN
    const left = lease.unlock()
    // The release is sent in microtasks that are queued by now; nextTick callbacks run after them.
    const sentAt = await new Promise<number>((resolve) => process.nextTick(() => resolve(performance.now())))
    await left
    return sentAt - grantedAt
  }
}
