import { ping } from '../adapters/floors.js'
import { compare } from '../compare.js'
import { titleOf } from '../contender.js'
import type { Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import { poolsThat, warmUp, withPools } from '../worker-pool.js'

/** A lock that is re-entered: what that adds to a cycle. */
export const nested: Scenario = {
  name: 'nested',
  title: 'What re-entry adds to a cycle',
  compares: { what: 'usMore', lessIsBetter: true },
  floor: titleOf(ping),
  run: (plan) =>
    onRedis((servers) =>
      withPools(plan.contenders, servers, 1, async (pools) => {
        const able = poolsThat('re-enter', 'nest', pools, plan)
        await warmUp(able, plan)
        const forMs = plan.isTrial ? 10 : 200
        const subjects = able.map((pool) => {
          const sent = (way: 'plain' | 'nested') =>
            servers.sentPerCycle(pool.contender, () => pool.cycles({ tasks: 1, forMs: 20, way }))
          return {
            of: titleOf(pool.contender),
            at: {},
            async measure() {
              const plain = await pool.cycles({ tasks: 1, forMs })
              const twice = await pool.cycles({ tasks: 1, forMs, way: 'nested' })
              return { usMore: twice.us / twice.cycles - plain.us / plain.cycles }
            },
            count: async () => ({ commandsMore: (await sent('nested')) - (await sent('plain')) }),
          }
        })
        return compare(plan.rounds, subjects)
      }),
    ),
}

const inARow = 'single locks, in a row'

/** Several uncontended locks at once, and the same locks acquired one after another. */
export const multi: Scenario = {
  name: 'multi',
  title: 'A cycle of several uncontended locks: a multi lock beside single ones',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: inARow,
  run: (plan) =>
    onRedis((servers) =>
      withPools(plan.contenders, servers, 1, async (pools) => {
        const able = poolsThat('acquire several locks as one', 'together', pools, plan)
        await warmUp(able, plan)
        const forMs = plan.isTrial ? 10 : 200
        const subjects = [2, 4, 8].flatMap((locks) =>
          able.flatMap((pool) =>
            (['in a row', 'jointly'] as const).map((way) => ({
              of: way === 'jointly' ? `${titleOf(pool.contender)} multi lock` : inARow,
              at: { locks },
              async measure() {
                const { cycles, us } = await pool.cycles({ tasks: 1, forMs, way, locks })
                return { usPerCycle: us / cycles }
              },
              count: async () => ({
                commandsPerCycle: await servers.sentPerCycle(pool.contender, () =>
                  pool.cycles({ tasks: 1, forMs: 20, way, locks }),
                ),
              }),
            })),
          ),
        )
        return compare(plan.rounds, subjects)
      }),
    ),
}
