import { exploreTrials, type Exploration } from './explorer.js'
import { promises } from './problem.js'
import { shapeOf } from './shape.js'
import type { Bounds } from './state.js'
import { Trials } from './trials.js'
import type { ExploredStore } from './way.js'

/**
 * Explores all within the bounds on that store, and closes it. Of a reference, what holds for one store holds for both:
 * every step does the same on it.
 */
export async function explore<Leftover extends string>(
  store: ExploredStore<Leftover>,
  bounds: Bounds,
  reference?: ExploredStore<string>,
): Promise<Exploration> {
  const shape = shapeOf(bounds)
  try {
    const other = reference && new Trials(reference, shape)
    return await exploreTrials(new Trials(store, shape, other), bounds)
  } finally {
    await Promise.all([store.close(), reference?.close()])
  }
}

/** How much was visited, and a shortest way to the violation, if there is one. */
export function describeExploration({ states, transitions, runs, violation }: Exploration): string {
  const size = `${states} states, ${transitions} transitions, ${runs} steps run`
  if (!violation) return `${size}: all promises hold`
  const trace = violation.trace.map((line, i) => `${String(i + 1).padStart(3)}  ${line}`)
  return [`${size}: ${promises[violation.promise]}: ${violation.detail}`, ...trace].join('\n')
}
