import fc from 'fast-check'

/** A smaller schedule that also fails. */
export interface Shrunk<Schedule, Verdict> {
  readonly schedule: Schedule
  /** fast-check's path from the seed to this schedule. */
  readonly path: string
  readonly verdict: Verdict
}

/**
 * Searches for a smaller schedule that also fails. `null`: the failure did not recur.
 *
 * @param failureOf - runs a schedule; `null`: it passes
 */
export async function shrink<Schedule extends object, Verdict>(
  schedules: fc.Arbitrary<Schedule>,
  seed: number,
  withinMs: number,
  failureOf: (schedule: Schedule) => Promise<Verdict | null>,
): Promise<Shrunk<Schedule, Verdict> | null> {
  const failing = new Map<Schedule, Verdict>()
  const passes = async (schedule: Schedule): Promise<boolean> => {
    const verdict = await failureOf(schedule)
    if (verdict === null) return true
    failing.set(schedule, verdict)
    return false
  }
  let latest: Promise<boolean> | undefined
  const property = fc.asyncProperty(schedules, (schedule) => (latest = passes(schedule)))
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
