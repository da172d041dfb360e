import {
  onOwnPostgres,
  openMysql,
  queryMysqlAt,
  startPostgres,
  startRedis,
  until,
  type RedisServer,
} from '@holdfast/testkit'
import { Cli, runCli } from './support/cli.js'

interface Verdict {
  readonly part: string
  readonly title: string
  readonly outcome: string
  readonly error?: string
}

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

async function verify(url: string, only: string): Promise<{ code: number | null; verdicts: Verdict[] }> {
  const { code, stdout } = await runCli(['verify', url, '--only', only, '--json'])
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { code, verdicts: lines.map((line) => JSON.parse(line) as Verdict) }
}

/** In one process, and over several that are killed and frozen. */
const some = 'exclusion'

it('tries the promises of a server, and leaves only what was there before', async () => {
  await server.call('SET', 'lock:verify', "another application's")
  const { code, verdicts } = await verify(server.url, some)
  expect(code).toBe(0)
  expect(verdicts.length).toBeGreaterThan(5)
  expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['kept']))
  const keys = (await server.call('KEYS', '*')) as string[]
  expect(keys.filter((key) => !key.startsWith('holdfast:client:'))).toEqual(['lock:verify'])
})

it('says which promise a server breaks, and why', async () => {
  await server.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '&*', '+@all', '-publish')
  const url = server.url.replace('redis://', 'redis://mute:secret@')
  const { code, stdout, stderr } = await runCli([
    'verify',
    url,
    '--only',
    'a release makes the waiter the holder at once',
  ])
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^PROMISES +KEPT +BROKEN +NOT TRIED\nhandOff +0 +1 +0\nall +0 +1 +0\n\nBROKEN {2}handOff: a release/,
  )
  expect(stdout).toContain('expected false to be true')
  expect(stderr).toMatch(
    /^holdfast: uses only keys with lock:verify-\w+: in them and cleans up at the end\n$/,
  )
})

it('stops at once if the server is unreachable, and refuses stores that it cannot try', async () => {
  const away = await runCli(['verify', 'redis://127.0.0.1:1'])
  expect([away.code, away.stdout]).toEqual([69, ''])
  expect(away.stderr).toContain('ECONNREFUSED')
  const other = await runCli(['verify', 'zk://127.0.0.1'])
  expect([other.code, other.stderr]).toEqual([64, expect.stringContaining('not ZooKeeper')])
  const none = await runCli(['verify', server.url, '--only', 'nonsense'])
  expect([none.code, none.stderr]).toEqual([
    64,
    expect.stringContaining('no promise has the text "nonsense"'),
  ])
})

it('stops after the running scenario when it is interrupted, removes its keys, and shows what it has found out', async () => {
  const cli = new Cli(['verify', server.url, '--only', 're-entry', '--json'])
  await cli.untilStderr(/uses only keys/)
  await until(async () => ((await server.call('KEYS', '*verify-*conformance*')) as string[]).length > 0)
  cli.kill('SIGINT')
  const { code, stdout, stderr } = await cli.ended()
  expect(code).toBe(1)
  expect(stderr).toContain('stopped before all was tried')
  expect(stdout).toMatch(/"outcome":"kept"/)
  expect(await server.call('KEYS', '*verify-*')).toEqual([])
})

it('shows its verdicts even if it may not remove its keys, and says that it could not', async () => {
  await server.call('ACL', 'SETUSER', 'blind', 'on', '>secret', '~*', '&*', '+@all', '-scan')
  const url = server.url.replace('redis://', 'redis://blind:secret@')
  const { code, stdout, stderr } = await runCli(['verify', url, '--only', 'always: names'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^all +\d+ +0 +0$/m)
  expect(stderr).toMatch(/could not remove keys with lock:verify-\w+: in them: NOPERM/)
})

onOwnPostgres(it)('on PostgreSQL it has a schema of its own, and drops it', async () => {
  const database = await startPostgres()
  try {
    const { code, verdicts } = await verify(database.url, some)
    expect(code).toBe(0)
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['kept']))
    const schemas = await database.query("select nspname from pg_namespace where nspname like 'holdfast%'")
    expect(schemas).toEqual([])
  } finally {
    await database.stop()
  }
})

it('on MySQL it has a table of its own, and drops it', async () => {
  const database = await openMysql()
  try {
    const { code, verdicts } = await verify(database.url, 'always: names')
    expect(code).toBe(0)
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['kept']))
    expect(await queryMysqlAt(database.url, 'show tables')).toEqual([])
  } finally {
    await database.stop()
  }
})
