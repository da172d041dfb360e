import { contentionMeter, type ContentionSetup } from '../contention.js'
import { titleOf } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { ping } from '../contenders/ping.js'
import { best as redisSemaphore } from '../contenders/redis-semaphore.js'
import { best as redlock5 } from '../contenders/redlock-5.js'
import { WorkerPool } from '../worker-pool.js'
import { cyclesOf } from '../cycles-of.js'
import { farAway } from '../far-away.js'
import { onRedis, startersIn, withRivals } from '../starters.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp, warmUpRivals } from '../warm-up.js'

const name = 'delayed-hand-off'
const size = { waiters: 50, processes: 4 }
const delayMs = 1
const processesOf = (): number => size.processes
/** This far from Redis, all processes sleep most of the time. */
const farWarmUpMs = (): number => 1_500
const pollers = [redlock5, redisSemaphore].map(titleOf)

/** From one waiter to the next when Redis is far away, in round trips of a PING. */
export const delayedHandOff: Scenario = {
  name,
  title: `From one waiter to the next, with ${delayMs} ms to Redis and ${delayMs} ms back`,
  compares: { what: 'roundTripsPerHandOff', lessIsBetter: true },
  floor: titleOf(handOffByHand),
  run: async (plan) => {
    const starters = (await startersIn(plan)).filter(
      ({ kind, title }) => kind === 'queue' || pollers.includes(title),
    )
    return onRedis((server) =>
      farAway(server, delayMs, async (url) => {
        const pinging = await WorkerPool.start(ping, url, 1)
        try {
          await warmUp([pinging], plan)
          return await withRivals(url, starters, processesOf, async (rivalsByStarter) => {
            await warmUpRivals(rivalsByStarter, processesOf, farWarmUpMs, plan)
            const measure = contentionMeter(plan.isTrial ? 50 : 500)
            const setups = [...rivalsByStarter.values()].map((rivals): ContentionSetup => ({
              rivals,
              ...size,
            }))
            const medians = await interleaved(setups, plan.rounds, async (setup) => {
              const { cycles, us } = await cyclesOf(pinging, { tasks: 1, forMs: plan.isTrial ? 20 : 200 })
              const pingUs = us / cycles / 2
              const seen = await measure(setup)
              return { roundTripsPerHandOff: (seen['usPerHandOff'] ?? NaN) / pingUs, ...seen, pingUs }
            })
            return [...medians].map(([{ rivals }, seen]): Figure => ({
              scenario: name,
              of: rivals.title,
              at: { ...size, delayMs },
              seen,
            }))
          })
        } finally {
          await pinging.stop()
        }
      }),
    )
  },
}
