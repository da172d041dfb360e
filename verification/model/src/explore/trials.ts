import type { Contents } from '../contents.js'
import type { Ran } from '../step-store.js'
import { proofOf, type Notice } from '../step.js'
import { contentsOf, stateOf } from './contents-of.js'
import { effectOf } from './differences.js'
import { keyOfJob, ownerNumber, type Job, type Outcome, type SentNotice } from './job.js'
import { judge } from './judge.js'
import type { Problem } from './problem.js'
import type { Shape } from './shape.js'
import { replyOf, stepOf } from './step-of.js'
import type { ExploredStore, Way } from './way.js'

/** Runs jobs on a store, each in all its ways, and remembers every outcome. */
export class Trials<Leftover extends string = string> {
  readonly #store: ExploredStore<Leftover>
  readonly #shape: Shape
  readonly #reference: Trials | undefined
  readonly #known = new Map<string, Outcome>()

  /** @param reference - those of another store, which must do the same */
  constructor(store: ExploredStore<Leftover>, shape: Shape, reference?: Trials) {
    this.#store = store
    this.#shape = shape
    this.#reference = reference
  }

  /** How many different jobs were run. */
  get runs(): number {
    return this.#known.size
  }

  /** The outcome of a job that was run before. */
  find(job: Job): Outcome | undefined {
    return this.#known.get(keyOfJob(job))
  }

  async run(jobs: readonly Job[]): Promise<void> {
    await Promise.all([...jobs.map((job) => this.#runAllWays(job)), this.#reference?.run(jobs)])
    for (const job of jobs) this.#compare(job)
  }

  #compare(job: Job): void {
    const [expected, outcome] = [this.#reference?.find(job), this.find(job)]
    if (!expected || !outcome) return
    const same = effectOf(outcome) === effectOf(expected)
    const detail = `${effectOf(outcome)} instead of ${effectOf(expected)}`
    const found = same ? [] : [{ promise: 'sameness', detail } as const]
    const problems = [...outcome.problems, ...expected.problems, ...found]
    this.#known.set(keyOfJob(job), { ...outcome, problems })
  }

  async #runAllWays(job: Job): Promise<void> {
    const ways = this.#store.ways.filter(({ suits }) => suits?.(job) ?? true)
    const [outcome, others] = await Promise.all([
      this.#run(job),
      Promise.all(ways.map(async (way) => ({ way, outcome: await this.#run(job, way) }))),
    ])
    const problems = others.flatMap((other) => differences(job, outcome, other.outcome, other.way))
    this.#known.set(keyOfJob(job), { ...outcome, problems: [...outcome.problems, ...problems] })
  }

  async #run(job: Job, way?: Way<Leftover>): Promise<Outcome> {
    const shape = this.#shape
    const [plain, owners] = [contentsOf(shape, job), job.store.counts.length]
    const start = way?.from?.(plain, job, shape) ?? plain
    const step = way?.step?.(stepOf(shape, job)) ?? stepOf(shape, job)
    const [ran, contents] = await this.#take(start, way, () => this.#store.run(step))
    const believed = ran.notices.filter(isBelieved)
    const notices = believed.map(({ kind, owner }): SentNotice => ({ kind, to: ownerNumber(owner) }))
    const reply = replyOf(shape, ran.reply)
    const store = stateOf(contents, owners)
    // A way may leave out what must not matter.
    const before = { ...job, store: stateOf(start, owners) }
    const problems = judge(shape, before, step, { reply: ran.reply, notices: believed, contents, store })
    return { store, reply, notices, problems }
  }

  async #take(start: Contents, way: Way<Leftover> | undefined, run: () => Promise<Ran>) {
    const [, first, ran, contents] = await Promise.all([
      this.#store.restore(start, way?.leftover),
      way?.isRepeated && run(),
      run(),
      this.#store.read(),
    ])
    const notices = [...(first ? first.notices : []), ...ran.notices]
    return [{ ...ran, notices }, contents] as const
  }
}

/** Nobody believes a grant without the proof of the queue entry. */
const isBelieved = (notice: Notice): boolean =>
  notice.kind === 'revoked' || notice.proof === proofOf(notice.owner)

function differences<Leftover extends string>(
  job: Job,
  expected: Outcome,
  outcome: Outcome,
  { promise, allows }: Way<Leftover>,
): readonly Problem[] {
  const [left, right] = [effectOf(expected), effectOf(outcome)]
  if (left === right || allows?.(job, expected, outcome)) return outcome.problems
  return [...outcome.problems, { promise, detail: `${right} instead of ${left}` }]
}
