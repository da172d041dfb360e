import { contendedCycles, contentionMeter } from '../contention.js'
import { titleOf } from '../contender.js'
import type { Figure } from '../figure.js'
import { advisoryLocks } from '../postgres/advisory-locks.js'
import { chosenOf, queues } from '../postgres/contenders.js'
import { sentPerCycle } from '../postgres/count.js'
import { warmUpOn, withRivalsOn } from '../postgres/rivals.js'
import { onServers } from '../postgres/servers.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'postgres-hand-off'
const allSizes = [1, 4].flatMap((processes) => [10, 50, 200].map((waiters) => ({ waiters, processes })))
const trialSizes = allSizes.slice(0, 1)

/** One lock under constant contention. */
export const postgresHandOff: Scenario = {
  name,
  title: 'On PostgreSQL: from one waiter of a lock to the next, under constant contention',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: titleOf(advisoryLocks),
  onlyByName: true,
  run: (plan) => {
    const contenders = chosenOf(plan.contenders)
    const sizes = plan.isTrial ? trialSizes : allSizes
    const maxProcesses = Math.max(...sizes.map(({ processes }) => processes))
    return onServers(contenders, (servers) =>
      withRivalsOn(servers, contenders, maxProcesses, async (rivalsOf) => {
        await warmUpOn(rivalsOf, maxProcesses, plan)
        const setups = sizes.flatMap((size) =>
          [...rivalsOf]
            // Hundreds that poll leave no processor for anything else.
            .filter(([contender]) => queues(contender) || size.waiters <= 50)
            .map(([contender, rivals]) => ({ contender, rivals, ...size })),
        )
        const medians = await interleaved(setups, plan.rounds, contentionMeter(plan.isTrial ? 20 : 300))
        const figures: Figure[] = []
        for (const [setup, seen] of medians) {
          const { contender, waiters, processes } = setup
          const run = () => contendedCycles(setup, plan.isTrial ? 100 : 1_000)
          const statements = await sentPerCycle(contender, servers, run)
          const all = { ...seen, statementsPerCycle: statements }
          figures.push({ scenario: name, of: titleOf(contender), at: { waiters, processes }, seen: all })
        }
        return figures
      }),
    )
  },
}
