import { openDatabase, type TestDatabase } from '@holdfast/testkit'
import { MemoryLock } from '../../memory/test/compare/memory-lock.js'
import { MemoryShared } from '../../memory/test/compare/memory-shared.js'
import { sharedSequence, type SharedStep } from '../../memory/test/compare/shared-step.js'
import { sequence, type Step } from '../../memory/test/compare/step.js'
import { migrationSql } from '../src/index.js'
import { compareAll, type Comparison } from './compare/comparison.js'
import { examples } from './compare/examples.js'
import { mistakes } from './compare/mistakes.js'
import { postgresLock } from './compare/postgres-lock.js'
import { postgresShared } from './compare/postgres-shared.js'
import { sharedExamples } from './compare/shared-examples.js'
import { sharedMistakes } from './compare/shared-mistakes.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const sequences = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? 500)

let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase()
})

afterAll(() => database.stop())

const lock: Comparison<Step> = {
  subject: postgresLock,
  memory: () => new MemoryLock({ wastesTokens: false }),
  examples,
  sequence,
}

const shared: Comparison<SharedStep> = {
  subject: postgresShared,
  memory: () => new MemoryShared(),
  examples: sharedExamples,
  // PostgreSQL evicts nothing.
  sequence: sharedSequence
    .map((steps) => steps.filter(({ kind }) => kind !== 'evict'))
    .filter(({ length }) => length > 0),
}

it('the functions do what a lock in memory does, whatever the steps', async () => {
  await compareAll(database, migrationSql(), lock, sequences)
}, 3_600_000)

it('they do what a read/write lock or semaphore in memory does, whatever the steps', async () => {
  await compareAll(database, migrationSql(), shared, sequences)
}, 3_600_000)

/** The schema with a mistake in it. */
function broken(right: RegExp, wrong: string): string {
  // In what the last migration creates: it replaces what the ones before it did.
  const [last = '', ...earlier] = migrationSql()
    .split(/(?=if not exists .* where version =)/)
    .reverse()
  const sql = last.replace(right, wrong)
  expect(sql).not.toBe(last)
  return [...earlier.reverse(), sql].join('')
}

const found = /step \d+ differs|waiting is|used is|a hold ends before/

it.each(mistakes)('the comparison of locks finds it when %s', async (_what, right, wrong) => {
  await expect(compareAll(database, broken(right, wrong), lock, 0)).rejects.toThrow(found)
})

it.each(sharedMistakes)('the comparison of shared objects finds it when %s', async (_what, right, wrong) => {
  await expect(compareAll(database, broken(right, wrong), shared, 0)).rejects.toThrow(found)
})
