import { keyOfJob, type Job, type Outcome } from './job.js'
import type { After } from './judge.js'
import type { Problem, Promised } from './problem.js'

/** Runs steps, each in the state that its job names, and remembers every outcome. */
export interface StepRunner {
  /** How many different jobs were run. */
  readonly runs: number
  /** The outcome of a job that was run before. */
  find(job: Job): Outcome | undefined
  run(jobs: readonly Job[]): Promise<void>
  close(): Promise<void>
}

/** The same step in a store of the same state that differs in what must not matter. */
export interface Variant<A extends After> {
  readonly after: A
  /** The promise that is broken where the outcome differs. */
  readonly promise: Promised
  /** Whether it may differ in this way. */
  readonly allows?: (expected: Outcome, outcome: Outcome) => boolean
}

/** Outcomes by job. */
export class Outcomes<A extends After = After> {
  readonly #judge: (job: Job, after: A) => Outcome
  readonly #known = new Map<string, Outcome>()

  constructor(judge: (job: Job, after: A) => Outcome) {
    this.#judge = judge
  }

  get size(): number {
    return this.#known.size
  }

  find(job: Job): Outcome | undefined {
    return this.#known.get(keyOfJob(job))
  }

  /** Adds the outcome of a job. */
  add(job: Job, after: A, variants: readonly Variant<A>[]): void {
    const outcome = this.#judge(job, after)
    const problems = variants.flatMap((variant) =>
      differences(outcome, this.#judge(job, variant.after), variant),
    )
    this.#known.set(keyOfJob(job), { ...outcome, problems: [...outcome.problems, ...problems] })
  }
}

function differences(
  expected: Outcome,
  outcome: Outcome,
  { promise, allows }: Pick<Variant<After>, 'promise' | 'allows'>,
): readonly Problem[] {
  const [left, right] = [effectOf(expected), effectOf(outcome)]
  if (left === right || allows?.(expected, outcome)) return outcome.problems
  return [...outcome.problems, { promise, detail: `${right} instead of ${left}` }]
}

/** Whether all but the reply is the same. */
export const leavesTheSame = (expected: Outcome, outcome: Outcome): boolean =>
  effectOf({ ...outcome, reply: expected.reply }) === effectOf(expected)

const effectOf = ({ reply, notices, store }: Outcome): string =>
  [reply, ...notices.map(({ kind, to }) => `${kind} ${to}`), store.key].join(', ')
