import type fc from 'fast-check'
import { clientOptions } from './client-options.js'
import { openTestbed, type Testbed } from './testbed.js'
import { runSchedule, type ScheduleResult } from './run-schedule.js'
import { faultNamesOf } from './faults/fault-kinds.js'
import { drawFrom, schedulesWith, type Schedule } from './schedule.js'
import { addTo, handOffMs, newTally, slowHandOffs, type Tally } from './tally.js'
import type { ObjectName } from './objects.js'
import { storeOf, type StoreName, type TopologyName } from './topologies.js'
import { verdictOn, type Verdict } from './verdict.js'

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
  /** Called after each schedule. */
  onFinished?(seed: number, schedule: Schedule, verdict: Verdict): void
}

/** Runs that many random schedules. Resolves with their totals, violations included. */
export async function campaign(options: CampaignOptions): Promise<Tally> {
  const { object = 'lock' } = options
  const tally = newTally(options.topology, object)
  let next = 0
  const lane = async () => {
    const testbed = await openTestbed(options.topology)
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

/** By how much leases are longer where the shortest ones of the others are refused. */
const longerLeases: Readonly<Partial<Record<StoreName, number>>> = { session: 400, document: 3_000 }

/** Draws schedules with the faults that make sense on the topology. */
export function scheduleFor(topology: TopologyName, object: ObjectName): fc.Arbitrary<Schedule> {
  return schedulesWith(faultNamesOf(topology), object, longerLeases[storeOf(topology)])
}

/** The schedule of this seed, or the shorter one at that path. */
export function drawSchedule(
  topology: TopologyName,
  seed: number,
  path = '',
  object: ObjectName = 'lock',
): Schedule {
  return drawFrom(scheduleFor(topology, object), seed, path)
}

/** Leases last up to 600 ms, and each call ahead in the queue may take one; the rest is slack for busy machines. */
const settleMs = 20_000
/** Clients reconnect with a backoff of up to a second, and a queue entry lives for `watchdogTimeoutMs`. */
const recoveryMs = 2_500
/** A reply may be this late on a busy machine. */
const slackMs = 1_500

function judge(result: ScheduleResult, topology: TopologyName): Verdict {
  const { commandTimeoutMs } = clientOptions
  const drawsTokensInTurn = storeOf(topology) !== 'session'
  return verdictOn(result, {
    settleMs,
    recoveryMs,
    slackMs,
    commandTimeoutMs,
    handOffMs,
    drawsTokensInTurn,
  })
}

/** Failures often depend on timing: a schedule runs this often before it counts as passing. */
const tries = 3

/** For the search for a smaller schedule that fails on the testbed. */
export function failureOn(testbed: Testbed): (schedule: Schedule) => Promise<Verdict | null> {
  return async (schedule) => {
    for (let n = 0; n < tries; n += 1) {
      const verdict = judge(await runSchedule(testbed, schedule), testbed.name)
      if (verdict.problems.length > 0) return verdict
    }
    return null
  }
}
