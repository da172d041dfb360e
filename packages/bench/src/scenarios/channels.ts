import { titleOf } from '../contender.js'
import { holdfast } from '../contenders/holdfast.js'
import { observedHoldfast } from '../contenders/observed-holdfast.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'channels'

/** What it costs to listen to the diagnostics channels. */
export const channels: Scenario = {
  name,
  title: 'A cycle of an uncontended lock, with and without subscribers to its diagnostics channels',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  onlyByName: true,
  run: (plan) =>
    withWorkerPools([holdfast, observedHoldfast], 1, async (pools) => {
      await warmUp(pools, plan)
      const { rounds, isTrial } = plan
      const medians = await interleaved(pools, rounds, async (pool) => {
        const { cycles, us } = await cyclesOf(pool, { tasks: 1, forMs: isTrial ? 10 : 150 })
        return { usPerCycle: us / cycles }
      })
      return [...medians].map(([pool, seen]): Figure => ({
        scenario: name,
        of: titleOf(pool.contender),
        at: {},
        seen,
      }))
    }),
}
