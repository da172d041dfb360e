import type { Bundle } from './bundle.js'
import type { Mistake } from './mistake.js'
import { Simulation } from './simulation.js'

/** What showed a mistake. */
export interface Found {
  readonly seed: number
  /** Those of the promises that it was to break. */
  readonly broken: readonly string[]
}

/** Plays schedules, of one seed after the other, until one breaks a promise that the mistake is to break. `null`: none of them did. */
export async function hunt(mistake: Mistake, bundle: Bundle, seeds: number): Promise<Found | null> {
  const { engine, object, edits, breaks } = mistake
  const simulation = new Simulation({ engine, object, servers: object === 'quorum' ? 3 : 1 }, bundle, edits)
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await simulation.play(simulation.draw(seed), seed)
    const broken = [...new Set(violations.map(({ promise }) => promise))].filter((promise) =>
      breaks.includes(promise),
    )
    if (broken.length > 0) return { seed, broken }
  }
  return null
}
