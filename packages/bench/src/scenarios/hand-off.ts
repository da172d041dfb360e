import { commandsIn, contentionMeter } from '../contention.js'
import { titleOf } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { onRedis, startersIn, withRivals, type Starter } from '../starters.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { nearWarmUpMs, warmUpRivals } from '../warm-up.js'

const name = 'hand-off'

interface Size {
  readonly waiters: number
  readonly processes: number
}

const waitersIn4: readonly Size[] = [10, 50].map((waiters) => ({ waiters, processes: 4 }))
const waitersIn2: readonly Size[] = [10, 50].map((waiters) => ({ waiters, processes: 2 }))
const allSizes: readonly Size[] = [
  { waiters: 2, processes: 2 },
  ...waitersIn4,
  { waiters: 200, processes: 4 },
  { waiters: 2_000, processes: 4 },
  ...[1, 2, 8].map((processes) => ({ waiters: 200, processes })),
  ...waitersIn2,
]

/** One lock under constant contention: how long a hand-off takes. */
export const handOff: Scenario = {
  name,
  title: 'From one waiter of a lock to the next, under constant contention',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: titleOf(handOffByHand),
  run: async (plan) => {
    const starters = await startersIn(plan)
    return onRedis(({ url }) =>
      withRivals(url, starters, maxProcesses, async (rivalsByStarter) => {
        await warmUpRivals(rivalsByStarter, maxProcesses, nearWarmUpMs, plan)
        // Measure compared contenders one after another: the speed of a machine changes within seconds.
        const setups = allSizes.flatMap((size) =>
          [...rivalsByStarter].flatMap(([starter, rivals]) =>
            sizesFor(starter).includes(size) ? [{ starter, rivals, ...size }] : [],
          ),
        )
        const medians = await interleaved(setups, plan.rounds, contentionMeter(plan.isTrial ? 20 : 150))
        const figures: Figure[] = []
        for (const [setup, seen] of medians) {
          const { starter, rivals, waiters, processes } = setup
          // With only two commands per cycle, what a client sends once per period must not distort the average.
          const countedMs = starter.kind === 'queue' && !plan.isTrial ? 500 : 100
          const commandsPerCycle = await commandsIn(setup, url, countedMs)
          const all = { ...seen, commandsPerCycle }
          figures.push({ scenario: name, of: rivals.title, at: { waiters, processes }, seen: all })
        }
        return figures
      }),
    )
  },
}

/** Pollers stall with hundreds of waiters; a JVM has more threads than these machines have cores. */
function sizesFor({ kind }: Starter): readonly Size[] {
  if (kind === 'queue') return allSizes
  if (kind === 'java') return waitersIn2
  return waitersIn4.slice(-1)
}

const maxProcesses = (starter: Starter): number =>
  Math.max(...sizesFor(starter).map(({ processes }) => processes))
