import fc from 'fast-check'
import { openArena } from './arena.js'
import { play } from './play.js'
import { scheduleFor, type Schedule } from './schedule.js'
import { addTo, newTally, slowHandOffs, type Tally } from './tally.js'
import type { TopologyName } from './topologies.js'
import { judge, type Verdict } from './verdict.js'

export interface CampaignOptions {
  readonly topology: TopologyName
  readonly runs: number
  /** The first schedule's; the n-th has this plus n. */
  readonly seed: number
  /** How many schedules are played at the same time, each on servers and processes of its own. */
  readonly lanes: number
  /** Leads to a shorter schedule that was found for the seed. */
  readonly path?: string | undefined
  /** The program of the processes; our own unless given. */
  readonly program?: string | undefined
  /** Called after each schedule. */
  onPlayed?(seed: number, schedule: Schedule, verdict: Verdict): void
}

/** Plays that many random schedules. Resolves with what they added up to, violations included. */
export async function campaign(options: CampaignOptions): Promise<Tally> {
  const tally = newTally(options.topology)
  let next = 0
  const lane = async () => {
    const arena = await openArena(options.topology, options.program)
    try {
      while (next < options.runs) {
        const seed = options.seed + next++
        const schedule = drawSchedule(options.topology, seed, options.path)
        const verdict = judge(await play(arena, schedule))
        addTo(tally, verdict)
        options.onPlayed?.(seed, schedule, verdict)
      }
    } finally {
      await arena.close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.lanes, options.runs) }, lane))
  if (slowHandOffs(tally) !== null) tally.violations += 1
  return tally
}

/** The schedule of this seed, or the shorter one at that path from it; always the same one. */
export function drawSchedule(topology: TopologyName, seed: number, path = ''): Schedule {
  const [schedule] = fc.sample(scheduleFor(topology), { seed, path, numRuns: 1, unbiased: true })
  if (!schedule) throw new Error(`seed ${seed} draws nothing`)
  return schedule
}
