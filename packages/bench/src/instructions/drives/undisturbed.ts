import type { Contender } from '../../contender.js'
import { lockName, openWarm, type Drive } from './drive.js'

/** A lock is acquired and released, and no other client waits for it; that many others hold it too. */
export const undisturbed =
  ({ open }: Pick<Contender, 'open'>, cycles: number, others = 0): Drive =>
  async (url, tape) => {
    const session = await openWarm(open, url)
    try {
      for (let n = 0; n < others; n += 1) await session.enter(lockName)
      await tape.begin()
      for (let n = 0; n < cycles; n += 1) await (await session.enter(lockName))()
      return await tape.end(cycles)
    } finally {
      await session.close()
    }
  }
