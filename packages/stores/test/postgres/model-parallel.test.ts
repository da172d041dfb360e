import { clockStartUs, ownerName, withMistake } from '@holdfast/model'
import { startPostgres, until, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'
import { installSql, realParts, schemaParts, type SchemaParts } from './steps/functions.js'
import { lettingIn, waitingAfter } from './parallel/spoilt-token.js'
import { asText } from './steps/call.js'
import { calls, clockAheadUs, withEarlyClock } from './parallel/late-clock.js'
import { findOverlap } from './parallel/overlaps.js'
import { keepBesideLockedRow, upkeeps } from './parallel/locked-rows.js'
import { runRandomSteps } from './parallel/random-steps.js'
import { makingRows, outcomesOf } from './parallel/row-in-the-making.js'
import { heldKey } from './steps/inboxes.js'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const secondMs = 1_000

/** Reads rows and leaves them to others. */
const withoutRowLocks = (parts: SchemaParts): SchemaParts =>
  withMistake(parts, { mistake: 'reads without a lock', from: ' for no key update;', to: ';' })

describe('random steps of six connections on two locks', () => {
  it('never let two owners in at once, and tokens grow', async () => {
    await server.query(installSql(realParts))
    const { holds, problems } = await runRandomSteps(server, 3 * secondMs, 60)
    expect(problems).toEqual([])
    expect(holds).toBeGreaterThan(50)
  })

  it('let two owners in at once where the row of the lock is not locked', async () => {
    await server.query(installSql(withoutRowLocks(realParts)))
    const finds = async (): Promise<boolean> =>
      (await runRandomSteps(server, secondMs)).problems.some((problem) => /held \S+ at once/.test(problem))
    await until(finds, { what: 'two owners in at once' })
  })
})

describe('two steps of which the second begins before the first has committed', () => {
  const overlapWith = async (parts: SchemaParts): Promise<string | null> => {
    await server.query(installSql(parts))
    const clients = [1, 2, 3].map(() => new Client({ connectionString: server.url, types: asText }))
    const [one, other, listener] = clients
    if (!one || !other || !listener) return null
    try {
      await Promise.all(clients.map((client) => client.connect()))
      for (const owner of [0, 1].map(ownerName))
        await listener.query('select pg_advisory_lock($1)', [heldKey(owner)])
      for (const client of [one, other]) await client.query(`set model.now_us = '${clockStartUs}'`)
      return await findOverlap(one, other)
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
  }

  it('do what they do one after the other', async () => {
    expect(await overlapWith(schemaParts)).toBeNull()
  })

  it('do something else where the row of the lock is not locked', async () => {
    expect(await overlapWith(withoutRowLocks(schemaParts))).not.toBeNull()
  })

  it('do something else where an abandoned owner is refused without the row of the lock', async () => {
    const without = withMistake(schemaParts, {
      mistake: 'makes no row',
      only: 'release',
      from: 'if p_tombstone_ms > 0 then\n\n  loop',
      to: 'if false then\n\n  loop',
    })
    const refusing = withMistake(without, {
      mistake: 'refuses without the row',
      only: 'release',
      from: 'is_mine := false;\n',
      to: `is_mine := false;
      insert into "model".tombstone select p_name, p_owner, 9000000000000000 where p_tombstone_ms > 0;\n`,
    })
    expect(await overlapWith(refusing)).not.toBeNull()
  })
})

it.each(makingRows)(
  '%s finds what another step, which made the row of the object, left in it',
  async (name) => {
    await server.query(installSql(schemaParts))
    const [there, made] = await outcomesOf(server.url, name)
    expect(made).toBe(there)
  },
)

it.each(lettingIn)('%s lets nobody in where no token can follow the last one', async (name) => {
  await server.query(installSql(schemaParts))
  expect(await waitingAfter(server.url, name)).toBe(1)
})

it.each(upkeeps)(
  '%s passes over a row that another step has, and extends all else that it is asked to',
  async (name) => {
    await server.query(installSql(schemaParts))
    await expect(keepBesideLockedRow(server.url, name)).resolves.toBeUndefined()
  },
)

describe.each(Object.entries(calls))('%s, while another step has the row of the lock', (_name, call) => {
  it('reads the clock when it gets the row', async () => {
    await server.query(installSql(realParts))
    expect(await clockAheadUs(server.url, call)).toBeGreaterThanOrEqual(0)
  })

  it('is found out where it reads the clock as it begins', async () => {
    await server.query(installSql(withEarlyClock(realParts)))
    expect(await clockAheadUs(server.url, call)).toBeLessThan(0)
  })
})
