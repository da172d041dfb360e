import { openRedis, until, type OpenedRedis } from '@holdfast/testkit'
import { createTestDatabase, type TestDatabase } from './postgres.js'
import { startProgram, type Program } from './program.js'
import { machineWithoutRedis } from '@holdfast/testkit'

/** An address without a server, so that the search for an installed one finds none. */
const noInstalledServer = { DATABASE_URL: '', PGPORT: '1' }

let redis: OpenedRedis
let program: Program | undefined

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

afterAll(() => redis.stop())

const start = (env: Readonly<Record<string, string>>) =>
  (program = startProgram('fencing-postgres', { REDIS_URL: redis.url, ...env }))

/** Runs the example, which must succeed and leave no process. */
async function outputOf(env: Readonly<Record<string, string>>): Promise<string> {
  const example = start(env)
  const { code, stdout, stderr } = await example.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
  return stdout
}

/** These tests need a PostgreSQL server; elsewhere they pass without running. */
function wherePostgresAnswers(name: string, run: (database: TestDatabase) => Promise<void>): void {
  it(name, async () => {
    await using database = await createTestDatabase()
    if (database) await run(database)
  })
}

/** The outcomes of the writes under one check, and the row at the end. */
function outcomeOf(check: string, stdout: string) {
  const [, section = ''] = stdout.split(`An update that checks ${check}:\n`)
  const [, sold, left] = /Sold (\d+) of 10, and the row says that (\d+) are left/.exec(section) ?? []
  const [writes = ''] = section.split('  Sold')
  const answers = [...writes.matchAll(/^ {2}([AB]).*: +(\w+)$/gm)].map(
    ([, who, answer]) => `${who} ${answer}`,
  )
  return { answers, sold: Number(sold), left: Number(left) }
}

function expectOnlyBothToBeRight(stdout: string) {
  expect(stdout).toContain('Both hold it, as far as they know: true')
  expect(stdout).toContain('The token of B is the larger one: true')
  // The older holder wrote after the newer one.
  expect(outcomeOf('the version alone', stdout)).toEqual({
    answers: ['A accepted', 'B refused', 'B accepted', 'A accepted'],
    sold: 5,
    left: 5,
  })
  // What A sold is not counted.
  expect(outcomeOf('the fencing token alone', stdout)).toEqual({
    answers: ['A accepted', 'B accepted', 'A refused'],
    sold: 4,
    left: 7,
  })
  expect(outcomeOf('the version and the fencing token', stdout)).toEqual({
    answers: ['A accepted', 'B refused', 'B accepted', 'A refused'],
    sold: 4,
    left: 6,
  })
  expect(stdout).toContain('At the end of its lease A gets: LOCK_LOST')
  expect(stdout).toContain('isHeld: false for A, true for B')
}

it('after a failover, version and token together keep the older holder out and lose nothing', async () => {
  const stdout = await outputOf(noInstalledServer)
  expect(stdout).toContain('PostgreSQL: the embedded PGlite')
  expectOnlyBothToBeRight(stdout)
})

wherePostgresAnswers('does the same on an installed server, and leaves nothing there', async (database) => {
  const stdout = await outputOf({ DATABASE_URL: '', PGDATABASE: database.name })
  expect(stdout).toContain('PostgreSQL: the server on 127.0.0.1')
  expectOnlyBothToBeRight(stdout)
  expect(await database.schemas()).toEqual([])
})

wherePostgresAnswers('Ctrl-C leaves no schema in the database of DATABASE_URL', async (database) => {
  const example = start({ DATABASE_URL: database.url })
  await example.prints(/^PostgreSQL: DATABASE_URL$[^]*^Both hold it/m)
  expect(await database.schemas()).toHaveLength(1)
  example.signal('SIGINT')
  expect(await example.ended).toMatchObject({ code: 130 })
  expect(await database.schemas()).toEqual([])
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
})

it('an unreachable DATABASE_URL is an error that names the cause', async () => {
  const { code, stderr } = await start({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }).ended
  expect(code).toBe(1)
  expect(stderr).toContain('ECONNREFUSED')
})

it('without a server program it says what to install, and does not advise a server that is already there', async () => {
  const machine = await machineWithoutRedis()
  try {
    const { code, stdout, stderr } = await start({
      ...noInstalledServer,
      ...machine.env,
      REDIS_URL: redis.url,
    }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/needs the program redis-server.*apt-get install redis-server/s)
    expect(stderr).not.toContain('REDIS_URL=')
  } finally {
    await machine.remove()
  }
})
