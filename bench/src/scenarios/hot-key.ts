import { handOffByHand, tokenInList } from '../adapters/floors.js'
import { holdfast } from '../adapters/holdfast.js'
import { compare } from '../compare.js'
import { handOffsOf, withRivals } from '../contention.js'
import type { Scenario, Seen } from '../scenario.js'
import { onRedis } from '../stores.js'

const size = { waiters: 10, processes: 2 }
const windowMs = 600

/** One lock under constant contention in processes that have just begun: most of them never run for long. */
export const hotKey: Scenario = {
  name: 'hot-key',
  title: 'From one waiter of a lock to the next in new processes, before the compiler is warm',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: tokenInList.library,
  run: ({ rounds, isTrial }) =>
    onRedis(({ url }) => {
      const subjects = [tokenInList, handOffByHand, holdfast].map((contender) => ({
        of: contender.library,
        at: { ...size },
        measure: (): Promise<Seen> =>
          withRivals(
            [contender],
            () => url,
            () => size.processes,
            async (started) => {
              const [processes] = started.values()
              if (!processes) throw new Error('nothing was started')
              return handOffsOf(contender, processes, size, isTrial ? 20 : windowMs).measure()
            },
          ),
      }))
      return compare(rounds, subjects)
    }),
}
