import type { Contender } from '../../contender.js'
import { lockName, openWarm, type Drive } from './drive.js'

/** The holder releases the lock, which hands it to the first of that many waiters; then another waiter queues up. */
export const contended =
  ({ open }: Pick<Contender, 'open'>, waiters: number, cycles: number): Drive =>
  async (url, tape) => {
    const session = await openWarm(open, url)
    try {
      let leave = await session.enter(lockName)
      const waiting: Promise<typeof leave>[] = []
      const cycle = async (): Promise<void> => {
        const left = leave()
        leave = (await waiting.shift()) ?? leave
        await left
        waiting.push(session.enter(lockName))
      }
      await tape.begin()
      for (let n = 0; n < waiters; n += 1) waiting.push(session.enter(lockName))
      await tape.whenSent(waiters)
      await tape.begin()
      for (let n = 1; n <= cycles; n += 1) {
        await cycle()
        // Otherwise the next release could overtake the request, and find one waiter less.
        await tape.whenSent(2 * n)
      }
      const recording = await tape.end(cycles)
      for (let n = 0; n <= waiters; n += 1) {
        await leave()
        leave = (await waiting.shift()) ?? leave
      }
      return recording
    } finally {
      await session.close()
    }
  }
