import type { TestDatabase } from '@holdfast/testkit'
import fc from 'fast-check'
import { differenceBetween, story, type Observation } from '../../../memory/test/compare/observation.js'
import { describeStep, type Owner } from '../../../memory/test/compare/step.js'
import { PostgresSequences, type PostgresSubject } from './postgres-sequences.js'

/** What is to be compared: the functions of one kind of object with the memory engine. */
export interface Comparison<S> {
  readonly subject: PostgresSubject<S>
  /** A new object of the memory engine; runs one step. */
  readonly memory: () => { run(step: S): Observation }
  readonly examples: readonly (readonly S[])[]
  readonly sequence: fc.Arbitrary<readonly S[]>
}

/** Compares with functions made by this SQL, in a fresh schema: all examples, and so many random sequences. */
export async function compareAll<S extends { readonly kind: string; readonly owner?: Owner }>(
  database: TestDatabase,
  sql: string,
  { subject, memory, examples, sequence }: Comparison<S>,
  randomSequences: number,
): Promise<void> {
  await database.query(`drop schema if exists holdfast cascade; ${sql}`)
  const onServer = await PostgresSequences.open(database.url, subject)

  /** Runs the steps on both and throws at the first that differ, with all steps up to there. */
  const compare = async (steps: readonly S[]): Promise<void> => {
    const inMemory = memory()
    const observations = await onServer.run(steps)
    observations.forEach((observed, i) => {
      const step = steps[i]
      const difference = step && differenceBetween(inNoOrder(observed), inNoOrder(inMemory.run(step)))
      if (difference) {
        const text = difference.replaceAll('Redis', 'PostgreSQL')
        throw new Error(`step ${i + 1} differs:${text}\n${story(steps, i, describeStep)}`)
      }
    })
  }

  try {
    for (const steps of examples) await compare(steps)
    if (randomSequences > 0)
      await fc.assert(fc.asyncProperty(sequence, compare), { numRuns: randomSequences })
  } finally {
    await onServer.close()
  }
}

/** Notices of one step reach several clients in any order. */
const inNoOrder = (observation: Observation): Observation => ({
  ...observation,
  notices: [...observation.notices].sort(),
})
