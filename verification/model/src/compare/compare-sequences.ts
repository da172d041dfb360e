import fc from 'fast-check'
import type { StepStore } from '../step-store.js'
import { differenceBetween, differs, within } from './difference.js'
import { TokenRanks } from './tokens.js'

/** What a step showed, and what it left. */
export interface Seen<C, R> {
  readonly ran: R
  readonly contents: C
}

/** Two stores to run the same steps on. */
export interface Compared<S, C, R> {
  readonly store: StepStore<S, C, R>
  /** A new object of the reference. */
  readonly reference: () => StepStore<S, C, R>
  /** What there is before the first step. */
  readonly start: C
  /** Runs a step on the reference, after it ran on the store. */
  follow(reference: StepStore<S, C, R>, step: S, seen: Seen<C, R>): Promise<Seen<C, R>>
  /** What is to be the same. @param before - what the store had before the step */
  observed(step: S, seen: Seen<C, R>, before: C): unknown
}

export interface Extent<S> {
  readonly examples?: readonly (readonly S[])[]
  /** How many random sequences. */
  readonly runs: number
  /** Always the same sequences, and the first that differs as it is. */
  readonly seed?: number
}

/**
 * Runs all examples and so many random sequences on both, each on an object of its own, and closes the store. Throws at the
 * first step that differs.
 */
export async function compareSequences<S, C, R>(
  compared: Compared<S, C, R>,
  sequence: fc.Arbitrary<readonly S[]>,
  { examples = [], runs, seed }: Extent<S>,
): Promise<void> {
  try {
    for (const steps of examples) await compare(compared, steps)
    if (runs === 0) return
    await fc.assert(
      fc.asyncProperty(sequence, (steps) => compare(compared, steps)),
      { numRuns: runs, ...(seed !== undefined && { seed, endOnFailure: true }) },
    )
  } finally {
    await compared.store.close()
  }
}

async function compare<S, C, R>(compared: Compared<S, C, R>, steps: readonly S[]): Promise<void> {
  const { store, start } = compared
  const [, ...all] = await Promise.all([
    store.restore(start),
    ...steps.map(async (step): Promise<Seen<C, R>> => {
      const [ran, contents] = await Promise.all([store.run(step), store.read()])
      return { ran, contents }
    }),
  ])
  const reference = compared.reference()
  const likeness = { names: [new TokenRanks(), new TokenRanks()], areNear: within() } as const
  let before = start
  for (const [i, step] of steps.entries()) {
    const seen = all[i]
    if (!seen) return
    const expected = await compared.follow(reference, step, seen)
    const left = compared.observed(step, seen, before)
    const right = compared.observed(step, expected, before)
    const difference = differenceBetween(left, right, likeness)
    if (difference !== undefined) throw differs(difference, left, right, steps.slice(0, i + 1))
    before = seen.contents
  }
}
