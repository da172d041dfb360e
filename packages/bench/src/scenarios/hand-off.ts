import { commandsIn, playing } from '../arena.js'
import { titleOf } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { onRedis, startersIn, withField, type Starter } from '../field.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { nearWarmUpMs, warmUpField } from '../warm-up.js'

const name = 'hand-off'

interface Size {
  readonly waiters: number
  readonly processes: number
}

const waitersIn4: readonly Size[] = [10, 50].map((waiters) => ({ waiters, processes: 4 }))
const waitersIn2: readonly Size[] = [10, 50].map((waiters) => ({ waiters, processes: 2 }))
const whole: readonly Size[] = [
  { waiters: 2, processes: 2 },
  ...waitersIn4,
  { waiters: 200, processes: 4 },
  { waiters: 2_000, processes: 4 },
  ...[1, 2, 8].map((processes) => ({ waiters: 200, processes })),
  ...waitersIn2,
]

/** One lock that everybody wants all the time: how long it takes from one to the next. */
export const handOff: Scenario = {
  name,
  title: 'From one waiter of a lock to the next, while all of them want it all the time',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  floor: titleOf(handOffByHand),
  run: async (plan) => {
    const starters = await startersIn(plan)
    return onRedis(({ url }) =>
      withField(url, starters, mostProcesses, async (field) => {
        await warmUpField(field, mostProcesses, nearWarmUpMs, plan)
        // Those who are compared come one after another: the pace of a machine changes within seconds.
        const cells = whole.flatMap((size) =>
          [...field].flatMap(([starter, rivals]) =>
            sizesFor(starter).includes(size) ? [{ starter, rivals, ...size }] : [],
          ),
        )
        const medians = await interleaved(cells, plan.rounds, playing(plan.isTrial ? 20 : 150))
        const figures: Figure[] = []
        for (const [cell, seen] of medians) {
          const { starter, rivals, waiters, processes } = cell
          // Where there are two per cycle, what a client says once per period is to weigh next to nothing.
          const countedMs = starter.kind === 'queue' && !plan.isTrial ? 500 : 100
          const commandsPerCycle = await commandsIn(cell, url, countedMs)
          const all = { ...seen, commandsPerCycle }
          figures.push({ scenario: name, of: rivals.title, at: { waiters, processes }, seen: all })
        }
        return figures
      }),
    )
  },
}

/** Those who poll stand still where hundreds wait; a JVM has more threads than these machines have cores. */
function sizesFor({ kind }: Starter): readonly Size[] {
  if (kind === 'queue') return whole
  if (kind === 'java') return waitersIn2
  return waitersIn4.slice(-1)
}

const mostProcesses = (starter: Starter): number =>
  Math.max(...sizesFor(starter).map(({ processes }) => processes))
