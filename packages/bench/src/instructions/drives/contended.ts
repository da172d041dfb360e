import type { Contender } from '../../contender.js'
import { lockName, openWarm, type Drive } from './drive.js'

/**
 * The one that has held the lock for longest releases it, which hands it to the first of that many waiters; then another
 * waiter queues up. A lock has one holder, a semaphore as many as it has permits.
 */
export const contended =
  ({ open }: Pick<Contender, 'open'>, waiters: number, cycles: number, holders = 1): Drive =>
  async (url, tape) => {
    const session = await openWarm(open, url)
    type Leave = Awaited<ReturnType<typeof session.enter>>
    try {
      const holding: Leave[] = []
      for (let n = 0; n < holders; n += 1) holding.push(await session.enter(lockName))
      const waiting: Promise<Leave>[] = []
      const handOver = async (): Promise<void> => {
        const left = holding.shift()?.()
        const next = waiting.shift()
        if (next) holding.push(await next)
        await left
      }
      await tape.begin()
      for (let n = 0; n < waiters; n += 1) waiting.push(session.enter(lockName))
      await tape.whenSent(waiters)
      await tape.begin()
      for (let n = 1; n <= cycles; n += 1) {
        await handOver()
        waiting.push(session.enter(lockName))
        // Otherwise the next release could overtake the request, and find one waiter less.
        await tape.whenSent(2 * n)
      }
      const recording = await tape.end(cycles)
      while (holding.length > 0) await handOver()
      return recording
    } finally {
      await session.close()
    }
  }
