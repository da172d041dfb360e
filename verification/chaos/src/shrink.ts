import fc from 'fast-check'
import type { Testbed } from './testbed.js'
import { runSchedule } from './run-schedule.js'
import type { ObjectName } from './objects.js'
import { scheduleFor, type Schedule } from './schedule.js'
import { judge, type Verdict } from './verdict.js'

export interface Shrunk {
  readonly schedule: Schedule
  /** fast-check's path from the seed to this schedule. */
  readonly path: string
  readonly verdict: Verdict
}

/** Failures often depend on timing: a schedule runs this often before it counts as passing. */
const tries = 3

/** Searches for a smaller schedule that also fails. `null`: the failure did not recur. */
export async function shrink(
  testbed: Testbed,
  seed: number,
  withinMs: number,
  object: ObjectName = 'lock',
): Promise<Shrunk | null> {
  const failing = new Map<Schedule, Verdict>()
  const passes = async (schedule: Schedule): Promise<boolean> => {
    for (let n = 0; n < tries; n += 1) {
      const verdict = judge(await runSchedule(testbed, schedule), testbed.name)
      if (verdict.problems.length === 0) continue
      failing.set(schedule, verdict)
      return false
    }
    return true
  }
  let latest: Promise<boolean> | undefined
  const property = fc.asyncProperty(
    scheduleFor(testbed.name, object),
    (schedule) => (latest = passes(schedule)),
  )
  const { counterexample, counterexamplePath } = await fc.check(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: withinMs,
  })
  // When the time is up, fast-check leaves it running.
  await Promise.allSettled([latest])
  const [schedule] = counterexample ?? []
  const verdict = schedule && failing.get(schedule)
  return verdict && counterexamplePath !== null ? { schedule, path: counterexamplePath, verdict } : null
}
