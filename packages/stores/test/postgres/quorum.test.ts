import { HoldfastQuorum } from '@holdfast/core'
import { openDatabase, type TestDatabase } from '@holdfast/testkit'
import { migrationSql, postgres } from '../../src/postgres/index.js'
import { failureOf } from './support/clients.js'

let databases: readonly TestDatabase[]
const opened: HoldfastQuorum[] = []

beforeAll(async () => {
  databases = await Promise.all([openDatabase(), openDatabase(), openDatabase()])
  await everywhere(migrationSql())
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((quorum) => quorum.close()))
})

afterAll(() => Promise.all(databases.map((database) => database.stop())))

const everywhere = (sql: string) => Promise.all(databases.map((database) => database.query(sql)))

function open(options: {
  readonly restartQuarantineMs: number
  readonly watchdogTimeoutMs?: number
}): HoldfastQuorum {
  const masters = databases.map(({ url }) => ({ engine: postgres({ url }) }))
  const quorum = new HoldfastQuorum({ memberTimeoutMs: 5_000, ...options, masters })
  quorum.on('error', () => undefined)
  opened.push(quorum)
  return quorum
}

it('a quorum of databases has fencing tokens that grow, even at masters that drew smaller ones', async () => {
  const first = await open({ restartQuarantineMs: 0 }).getFencedLock('job').lock()
  // A master whose clock is ahead: its next token is larger than all.
  const ahead = first.fencingToken + 3_600_000_000
  await first.unlock()
  await databases[0]?.query("select holdfast.raise_token('job', $1, 60000)", [ahead])
  const second = await open({ restartQuarantineMs: 0 }).getFencedLock('job').lock()
  expect(second.fencingToken).toBeGreaterThan(ahead)
  const tokens = await everywhere("select token::text from holdfast.lock where name = 'job'")
  const raised = tokens.filter(([row]) => Number(row?.['token']) >= second.fencingToken)
  expect(raised.length).toBeGreaterThanOrEqual(2)
  await second.unlock()
})

it('a token is never lowered, nor forgotten earlier', async () => {
  const raise = (token: number, keepMs: number) =>
    databases[0]?.query("select holdfast.raise_token('kept', $1, $2)", [token, keepMs])
  const kept = () =>
    databases[0]?.query("select token::text, fence_until_us::text from holdfast.lock where name = 'kept'")
  await raise(1e15, 60_000)
  const before = await kept()
  await raise(1e14, 1_000)
  await raise(1e15, 1_000)
  expect(await kept()).toEqual(before)
})

it('a database whose locks are new has no vote for the quarantine, as after a crash that emptied its tables', async () => {
  const times = { restartQuarantineMs: 3_000, watchdogTimeoutMs: 3_000 }
  await everywhere('truncate holdfast.store')
  const failure = await failureOf(open(times).getLock('job').tryLock())
  expect(failure).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/has no vote/) as string,
  })
  // As if that had been long ago.
  await everywhere('update holdfast.store set since_us = since_us - 3000000')
  const lease = await open(times).getLock('job').tryLock()
  expect(lease?.isHeld).toBe(true)
  await lease?.unlock()
})
