import fc from 'fast-check'
import { openTestbed } from './testbed.js'
import { runSchedule } from './run-schedule.js'
import { scheduleFor, type Schedule } from './schedule.js'
import { addTo, newTally, slowHandOffs, type Tally } from './tally.js'
import type { ObjectName } from './objects.js'
import type { TopologyName } from './topologies.js'
import { judge, type Verdict } from './verdict.js'

export interface CampaignOptions {
  readonly topology: TopologyName
  /** What the schedules are about; locks unless given. */
  readonly object?: ObjectName
  readonly runs: number
  /** The first schedule's; the n-th has this plus n. */
  readonly seed: number
  /** How many schedules run at the same time, each on servers and processes of its own. */
  readonly lanes: number
  /** fast-check's path from the seed to a shorter schedule that was found for it. */
  readonly path?: string | undefined
  /** The program of the processes; our own unless given. */
  readonly program?: string | undefined
  /** Called after each schedule. */
  onFinished?(seed: number, schedule: Schedule, verdict: Verdict): void
}

/** Runs that many random schedules. Resolves with their totals, violations included. */
export async function campaign(options: CampaignOptions): Promise<Tally> {
  const { object = 'lock' } = options
  const tally = newTally(options.topology, object)
  let next = 0
  const lane = async () => {
    const testbed = await openTestbed(options.topology, options.program)
    try {
      while (next < options.runs) {
        const seed = options.seed + next++
        const schedule = drawSchedule(options.topology, seed, options.path, object)
        const verdict = judge(await runSchedule(testbed, schedule), testbed.name)
        addTo(tally, verdict)
        options.onFinished?.(seed, schedule, verdict)
      }
    } finally {
      await testbed.close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.lanes, options.runs) }, lane))
  if (slowHandOffs(tally) !== null) tally.violations += 1
  return tally
}

/** The schedule of this seed, or the shorter one at that path; the same one every time. */
export function drawSchedule(
  topology: TopologyName,
  seed: number,
  path = '',
  object: ObjectName = 'lock',
): Schedule {
  const [schedule] = fc.sample(scheduleFor(topology, object), { seed, path, numRuns: 1, unbiased: true })
  if (!schedule) throw new Error(`seed ${seed} yields no schedule`)
  return schedule
}
