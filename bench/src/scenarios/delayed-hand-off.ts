import { handOffByHand, ping } from '../adapters/floors.js'
import { compare } from '../compare.js'
import { handOffsOf, rivalsIn, warmUpRivals, withRivals } from '../contention.js'
import { farAway } from '../far-away.js'
import type { Scenario } from '../scenario.js'
import { onRedis } from '../stores.js'
import { warmUp, warmUpMs, withPool } from '../worker-pool.js'

const delayMs = 1
const pollers = ['redlock 5', 'redis-semaphore']

/** From one waiter to the next when Redis is far away, in round trips of a PING. */
export const delayedHandOff: Scenario = {
  name: 'delayed-hand-off',
  title: `From one waiter to the next, with ${delayMs} ms to Redis and ${delayMs} ms back`,
  compares: { what: 'roundTripsPerHandOff', lessIsBetter: true },
  floor: handOffByHand.library,
  run: async (plan) => {
    const size = { waiters: 50, processes: plan.isTrial ? 2 : 4 }
    const rivals = (await rivalsIn(plan)).filter(
      (rival) => rival.waits === 'queueing' || pollers.includes(rival.library),
    )
    return onRedis((redis) =>
      farAway(redis, delayMs, (url) =>
        withPool(ping, { urlOf: () => url }, async (pinging) => {
          await warmUp([pinging], plan)
          const processesOf = (): number => size.processes
          return await withRivals(
            rivals,
            () => url,
            processesOf,
            async (started) => {
              // This far from Redis, all processes sleep most of the time.
              await warmUpRivals(started, processesOf, plan, () => warmUpMs)
              const subjects = [...started].map(([rival, processes]) => {
                const at = { ...size, delayMs }
                const subject = handOffsOf(rival, processes, size, plan.isTrial ? 50 : 500, at)
                return {
                  ...subject,
                  async measure() {
                    const { cycles, us } = await pinging.cycles({
                      tasks: 1,
                      forMs: plan.isTrial ? 20 : 200,
                    })
                    const pingUs = us / cycles / 2
                    const seen = await subject.measure()
                    return { roundTripsPerHandOff: (seen['usPerHandOff'] ?? NaN) / pingUs, ...seen, pingUs }
                  },
                }
              })
              return compare(plan.rounds, subjects)
            },
          )
        }),
      ),
    )
  },
}
