import { explore, type Exploration } from './explorer.js'
import { promises } from './problem.js'
import type { Bounds } from './state.js'
import type { StepRunner } from './step-runner.js'

/** Explores all within the bounds and closes the runner. */
export async function exploreAndClose(runner: StepRunner, bounds: Bounds): Promise<Exploration> {
  try {
    return await explore(runner, bounds)
  } finally {
    await runner.close()
  }
}

/** How much was visited, and a shortest way to the violation, if there is one. */
export function describeExploration({ states, transitions, runs, violation }: Exploration): string {
  const size = `${states} states, ${transitions} transitions, ${runs} steps run`
  if (!violation) return `${size}: all promises hold`
  const trace = violation.trace.map((line, i) => `${String(i + 1).padStart(3)}  ${line}`)
  return [`${size}: ${promises[violation.promise]}: ${violation.detail}`, ...trace].join('\n')
}
