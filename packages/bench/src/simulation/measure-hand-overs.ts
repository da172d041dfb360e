import type { Holdfast } from '@holdfast/core'
import type { Redis } from 'ioredis'
import { median } from 'simple-statistics'
import { open } from './lanes.js'
import { meter } from './meter.js'

/** What it costs to hand one lock over, from waiter to waiter of one client. */
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
      ;({ beforeReleaseUs: clientBeforeReleaseUs, fromNoticeToNoticeUs: medianHandOverUs } =
        await queue.empty())
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

/** Waiters of one client for one lock, who give it back as soon as they have it. */
class Queue {
  readonly #client: Holdfast
  #noticedAt: number[] = []
  #served: Promise<number>[] = []

  constructor(client: Holdfast) {
    this.#client = client
    client.on('granted', () => {
      this.#noticedAt.push(performance.now())
    })
  }

  /** Resolves when one more waits. */
  async grow(): Promise<void> {
    const isWaiting = new Promise<void>((resolve) => this.#client.once('waiting', () => resolve()))
    this.#served.push(this.#serve())
    await isWaiting
  }

  /** Resolves when all are served. Medians: others on the machine may have stopped the clock now and then. */
  async empty(): Promise<{ beforeReleaseUs: number; fromNoticeToNoticeUs: number }> {
    const beforeReleaseMs = await Promise.all(this.#served)
    const noticedAt = this.#noticedAt
    const apartMs = noticedAt.slice(1).map((at, n) => at - (noticedAt[n] ?? NaN))
    this.#served = []
    this.#noticedAt = []
    return { beforeReleaseUs: median(beforeReleaseMs) * 1_000, fromNoticeToNoticeUs: median(apartMs) * 1_000 }
  }

  async #serve(): Promise<number> {
    const lease = await this.#client.getLock('wanted').lock()
    const noticedAt = this.#noticedAt.at(-1) ?? NaN
    const left = lease.unlock()
    // The release goes out in microtasks that begin here, and this comes behind them.
    const sentAt = await new Promise<number>((resolve) => process.nextTick(() => resolve(performance.now())))
    await left
    return sentAt - noticedAt
  }
}
