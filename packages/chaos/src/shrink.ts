import fc from 'fast-check'
import type { Arena } from './arena.js'
import { play } from './play.js'
import { scheduleFor, type Schedule } from './schedule.js'
import { judge, type Verdict } from './verdict.js'

export interface Shrunk {
  readonly schedule: Schedule
  /** Leads from the seed to this schedule. */
  readonly path: string
  readonly verdict: Verdict
}

/** What goes wrong is often a matter of luck: a schedule is tried this often before it counts as harmless. */
const tries = 3

/** Looks for a smaller schedule that fails as well. `null`: the failure did not come again. */
export async function shrink(arena: Arena, seed: number, withinMs: number): Promise<Shrunk | null> {
  const failing = new Map<Schedule, Verdict>()
  const property = fc.asyncProperty(scheduleFor(arena.name), async (schedule) => {
    for (let n = 0; n < tries; n += 1) {
      const verdict = judge(await play(arena, schedule))
      if (verdict.complaints.length === 0) continue
      failing.set(schedule, verdict)
      return false
    }
    return true
  })
  const { counterexample, counterexamplePath } = await fc.check(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: withinMs,
  })
  const [schedule] = counterexample ?? []
  const verdict = schedule && failing.get(schedule)
  return verdict && counterexamplePath !== null ? { schedule, path: counterexamplePath, verdict } : null
}
