import { countCommands } from '@holdfast/testkit'
import { titleOf, type Contender } from '../contender.js'
import type { Figure, Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import { withPool } from '../worker-pool.js'

const minuteMs = 60_000

/** A client that has held locks and does nothing now: what it costs a service that rarely locks. */
export const idleClient: Scenario = {
  name: 'idle-client',
  title: 'A client that holds nothing and waits for nothing, after its first cycles',
  compares: { what: 'cpuMsPerMinute', lessIsBetter: true },
  // All at once: none of them has anything to do.
  run: ({ contenders, isTrial }) =>
    Promise.all(
      contenders
        .filter(({ imports }) => imports !== undefined)
        .map((contender) => restOf(contender, isTrial ? 200 : minuteMs)),
    ),
}

function restOf(contender: Contender, forMs: number): Promise<Figure> {
  return onRedis((servers) =>
    withPool(contender, servers, async (pool) => {
      await pool.cycles({ tasks: 1, forMs: 100 })
      const { value, counts } = await countCommands(servers.redis.url, () => pool.one('rest', { forMs }))
      const sent = [...counts.values()].reduce((sum, count) => sum + count, 0)
      return {
        of: titleOf(contender),
        at: {},
        seen: { ...value, commandsPerMinute: (sent * minuteMs) / forMs },
      }
    }),
  )
}
