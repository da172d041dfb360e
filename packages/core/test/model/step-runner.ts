import { keyOfJob, type Job, type Outcome } from './job.js'
import { judge, type After } from './judge.js'
import type { Problem } from './problem.js'

/** Runs steps, each in the state that its job names, and remembers every outcome. */
export interface StepRunner {
  /** How many different jobs were run. */
  readonly runs: number
  /** The outcome of a job that was run before. */
  find(job: Job): Outcome | undefined
  run(jobs: readonly Job[]): Promise<void>
  close(): Promise<void>
}

/** Outcomes by job. */
export class Outcomes {
  readonly #known = new Map<string, Outcome>()

  get size(): number {
    return this.#known.size
  }

  find(job: Job): Outcome | undefined {
    return this.#known.get(keyOfJob(job))
  }

  /**
   * Adds the outcome of a job.
   *
   * @param others - the same step in stores of the same state that still keep what has expired
   */
  add(job: Job, after: After, others: readonly After[]): void {
    const outcome = judge(job, after)
    const problems = others.flatMap((other) => differences(outcome, judge(job, other)))
    this.#known.set(keyOfJob(job), { ...outcome, problems: [...outcome.problems, ...problems] })
  }
}

function differences(outcome: Outcome, other: Outcome): readonly Problem[] {
  const [left, right] = [effectOf(outcome), effectOf(other)]
  if (left === right) return other.problems
  return [{ promise: 'expiry', detail: `${right} instead of ${left}` }]
}

const effectOf = ({ reply, notices, store }: Outcome): string =>
  [reply, ...notices.map(({ kind, to }) => `${kind} ${to}`), store.key].join(', ')
