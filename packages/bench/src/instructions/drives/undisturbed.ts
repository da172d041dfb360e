import type { Contender } from '../../contender.js'
import { lockName, openWarm, type Drive } from './drive.js'

/** A lock is acquired and released, and no other client wants it. */
export const undisturbed =
  ({ open }: Pick<Contender, 'open'>, cycles: number): Drive =>
  async (url, tape) => {
    const session = await openWarm(open, url)
    try {
      await tape.begin()
      for (let n = 0; n < cycles; n += 1) await (await session.enter(lockName))()
      return await tape.end(cycles)
    } finally {
      await session.close()
    }
  }
