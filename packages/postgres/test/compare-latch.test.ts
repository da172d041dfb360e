import { isDeepStrictEqual } from 'node:util'
import { openDatabase, type TestDatabase } from '@holdfast/testkit'
import fc from 'fast-check'
import { latchSequence, type LatchObservation, type LatchStep } from '../../memory/test/compare/latch-step.js'
import { MemoryLatch } from '../../memory/test/compare/memory-latch.js'
import { migrationSql } from '../src/index.js'
import { PostgresLatch } from './compare/postgres-latch.js'
import { failureOf } from './support/clients.js'

const sequences = 300

/** How far apart two times to live may be: what the server's clock may move on during a sequence. */
const toleranceMs = 10_000

let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase()
})

afterAll(() => database.stop())

function isSame(a: LatchObservation, b: LatchObservation): boolean {
  const { ttlMs: ours, ...rest } = a
  const { ttlMs: theirs, ...others } = b
  return isDeepStrictEqual(rest, others) && Math.abs(ours - theirs) <= toleranceMs
}

/** Compares functions that were made by this SQL with the latch of the memory engine. */
async function compareAll(sql: string, seed?: number): Promise<void> {
  await database.query(`drop schema if exists holdfast cascade; ${sql}`)
  const latches = await PostgresLatch.open(database.url)
  const compare = async (steps: readonly LatchStep[]): Promise<void> => {
    const memory = new MemoryLatch()
    const onServer = await latches.run(steps)
    onServer.forEach((observed, i) => {
      const step = steps[i]
      const inMemory = step && memory.run(step)
      if (!inMemory || isSame(observed, inMemory)) return
      const story = steps.slice(0, i + 1).map((each) => JSON.stringify(each))
      const both = `\n  PostgreSQL ${JSON.stringify(observed)}\n  memory     ${JSON.stringify(inMemory)}`
      throw new Error(`step ${i + 1} differs:${both}\n${story.join('\n')}`)
    })
  }
  const settings = seed === undefined ? {} : { seed, endOnFailure: true }
  try {
    await fc.assert(fc.asyncProperty(latchSequence, compare), { numRuns: sequences, ...settings })
  } finally {
    await latches.close()
  }
}

it('the functions do what a latch in memory does, whatever the steps', async () => {
  await compareAll(migrationSql())
}, 600_000)

/** Mistakes that the functions might have, as replacements in their text. */
const mistakes: readonly (readonly [what: string, right: RegExp, wrong: string])[] = [
  [
    'a party counts twice',
    /if found then\s+l\.remaining := l\.remaining - 1;\s+end if;/,
    'l.remaining := l.remaining - 1;',
  ],
  [
    'a stray counts in another generation',
    /if l\.generation <> p_named or not \(l\.generation >= l\.first_generation\) then/,
    'if false then',
  ],
  [
    'a latch that is not open is set again',
    /elsif l\.generation <> p_named or .* then/,
    'elsif l.generation <> p_named then',
  ],
  ['a store that lost data vouches for what was before', /or l\.incarnation <> current_store then/, 'then'],
  ['a repeated set comes too late', /if l\.setter = p_setter then/, 'if false then'],
  [
    'nobody is notified of the opening',
    /concat_ws\(' ', 'open', l\.generation, l\.name\)\)/,
    "concat_ws(' ', 'gone', l.generation, l.name))",
  ],
  ['a latch outlives its time', /if l\.generation > 0 and l\.until_us <= now_us then/, 'if false then'],
]

it.each(mistakes)(
  'the comparison finds it when %s',
  async (_what, right, wrong) => {
    const sql = migrationSql().replaceAll(new RegExp(right, 'g'), wrong)
    expect(sql).not.toBe(migrationSql())
    const failure = await failureOf(compareAll(sql, 1))
    expect(String(failure instanceof Error ? failure.cause : failure)).toMatch(/step \d+ differs/)
  },
  120_000,
)
