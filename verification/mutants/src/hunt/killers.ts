import { describeExploration, explore, type Bounds, type ExploredStore } from '@holdfast/model'
import type { Killer } from './hunt.js'

/** Explores all within the bounds on a new store. */
export const exploring = <Leftover extends string>(
  name: string,
  bounds: Bounds,
  open: (bounds: Bounds) => Promise<ExploredStore<Leftover>>,
): Killer => ({
  name,
  find: async () => {
    const explored = await explore(await open(bounds), bounds)
    return explored.violation && describeExploration(explored)
  },
})

/** A comparison that throws at the first difference. */
export const comparing = (name: string, compare: () => Promise<void>): Killer => ({
  name,
  find: async () => {
    await compare()
    return null
  },
})
