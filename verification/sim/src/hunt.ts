import type { Bundle } from './bundle.js'
import type { Mistake } from './mistake.js'
import type { Played } from './play.js'
import { Simulation } from './simulation.js'

/** What showed a mistake. */
export interface Found {
  readonly seed: number
  /** Those of the promises that it was to break. */
  readonly broken: readonly string[]
}

/** By which seed random schedules show a mistake first. `null`: by none of so many. */
export async function hunt(mistake: Mistake, bundle: Bundle, seeds: number): Promise<Found | null> {
  const simulation = simulationOf(mistake, bundle)
  for (let seed = 1; seed <= seeds; seed += 1) {
    const broken = brokenBy(mistake, await simulation.play(simulation.draw(seed), seed))
    if (broken.length > 0) return { seed, broken }
  }
  return null
}

/** Those of the promises that a mistake is to break which its schedule breaks. */
export async function brokenBySchedule(mistake: Mistake, bundle: Bundle): Promise<readonly string[]> {
  const { shownBy } = mistake
  const simulation = simulationOf(mistake, bundle)
  const [schedule, seed] = typeof shownBy === 'number' ? [simulation.draw(shownBy), shownBy] : [shownBy, 1]
  return brokenBy(mistake, await simulation.play(schedule, seed))
}

const simulationOf = ({ engine, object, edits }: Mistake, bundle: Bundle): Simulation =>
  new Simulation({ engine, object, servers: object === 'quorum' ? 3 : 1 }, bundle, edits)

const brokenBy = ({ breaks }: Mistake, { violations }: Played): string[] =>
  [...new Set(violations.map(({ promise }) => promise))].filter((promise) => breaks.includes(promise))
