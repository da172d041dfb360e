import { handOffByHand } from '../adapters/floors.js'
import { compare } from '../compare.js'
import {
  handOffsOf,
  isInJava,
  rivalsIn,
  warmUpRivals,
  withRivals,
  type Rival,
  type Size,
} from '../contention.js'
import type { Plan, Scenario } from '../scenario.js'
import { starts } from '../stores.js'

const size = (waiters: number, processes: number): Size => ({ waiters, processes })
const in4 = [size(10, 4), size(50, 4)]
const in2 = [size(10, 2), size(50, 2)]
const allSizes = [
  size(2, 2),
  ...in4,
  size(200, 4),
  size(2_000, 4),
  ...[1, 2, 8].map((processes) => size(200, processes)),
  ...in2,
]

/** Pollers stall with hundreds of waiters; a JVM has more threads than these machines have cores. */
function sizesFor(rival: Rival, { isTrial, store }: Plan): readonly Size[] {
  if (isInJava(rival)) return in2
  if (isTrial) return in2.slice(0, 1)
  if (store !== 'redis') return in4
  return rival.waits === 'queueing' ? allSizes : in4.slice(-1)
}

/** One lock under constant contention: how long a hand-off takes, and who gets it. */
export const handOff: Scenario = {
  name: 'hand-off',
  title: 'From one waiter of a lock to the next, under constant contention',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: handOffByHand.library,
  onStores: true,
  run: async (plan) => {
    const rivals = await rivalsIn(plan)
    const windowMs = plan.isTrial ? 20 : plan.store === 'redis' ? 150 : 1_000
    const processesOf = (rival: Rival): number =>
      Math.max(...sizesFor(rival, plan).map(({ processes }) => processes))
    return starts[plan.store](plan.contenders, ({ urlOf, sentPerCycle }) =>
      withRivals(rivals, urlOf, processesOf, async (started) => {
        await warmUpRivals(started, processesOf, plan)
        // Compared rivals come one after another: the speed of a machine changes within seconds.
        const sizes = [...new Set(rivals.flatMap((rival) => sizesFor(rival, plan)))]
        const subjects = sizes.flatMap((each) =>
          [...started]
            .filter(([rival]) => sizesFor(rival, plan).includes(each))
            .map(([rival, processes]) => {
              const subject = handOffsOf(rival, processes, each, windowMs)
              // With only two commands per cycle, what a client sends once per period must not distort the average.
              const countMs = rival.waits === 'queueing' && !plan.isTrial ? 500 : 100
              const run = () => subject.cyclesIn(countMs)
              return { ...subject, count: async () => ({ commandsPerCycle: await sentPerCycle(rival, run) }) }
            }),
        )
        return compare(plan.rounds, subjects)
      }),
    )
  },
}
