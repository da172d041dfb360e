import { openDatabase, type TestDatabase } from '@holdfast/testkit'
import fc from 'fast-check'
import { MemoryLock } from '../../memory/test/compare/memory-lock.js'
import { differenceBetween, story } from '../../memory/test/compare/observation.js'
import { describeStep, sequence, type Step } from '../../memory/test/compare/step.js'
import { migrationSql } from '../src/index.js'
import { examples } from './compare/examples.js'
import { mistakes } from './compare/mistakes.js'
import { PostgresSequences } from './compare/postgres-lock.js'

const sequences = 500

let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase()
})

afterAll(() => database.stop())

/** Compares with functions made by this SQL, in a fresh schema. */
async function compareAll(sql: string, randomSequences: number): Promise<void> {
  await database.query(`drop schema if exists holdfast cascade; ${sql}`)
  const onServer = await PostgresSequences.open(database.url)
  try {
    for (const steps of examples) await compare(onServer, steps)
    const property = fc.asyncProperty(sequence, (steps) => compare(onServer, steps))
    if (randomSequences > 0) await fc.assert(property, { numRuns: randomSequences })
  } finally {
    await onServer.close()
  }
}

/** Runs the steps on both and throws at the first that differ, with all steps up to there. */
async function compare(onServer: PostgresSequences, steps: readonly Step[]): Promise<void> {
  const memory = new MemoryLock({ wastesTokens: false })
  const observations = await onServer.run(steps)
  observations.forEach((observed, i) => {
    const step = steps[i]
    const difference = step && differenceBetween(observed, memory.run(step))
    if (difference) {
      const text = difference.replaceAll('Redis', 'PostgreSQL')
      throw new Error(`step ${i + 1} differs:${text}\n${story(steps, i, describeStep)}`)
    }
  })
}

it('the functions do what a lock in memory does, whatever the steps', async () => {
  await compareAll(migrationSql(), sequences)
}, 120_000)

it.each(mistakes)('the comparison finds it when %s', async (_what, right, wrong) => {
  const sql = migrationSql().replace(right, wrong)
  expect(sql).not.toBe(migrationSql())
  await expect(compareAll(sql, 0)).rejects.toThrow(/step \d+ differs|waiting is/)
})
