import {
  onOwnPostgres,
  startPostgres,
  startRedis,
  type PostgresServer,
  type RedisServer,
} from '@holdfast/testkit'
import { runCli } from './support/cli.js'

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
  const { code, stdout } = await runCli(['verify', url, '--only', only, '--json'], { isPublished: true })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return { code, verdicts: lines.map((line) => JSON.parse(line) as Verdict) }
}

/** In one process, and over several that are killed and frozen. */
const some = 'exclusion'

it('tries promises of a server, and leaves nothing there but what was there', async () => {
  await server.call('SET', 'lock:verify', 'of somebody else')
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
  const { code, stdout, stderr } = await runCli(
    ['verify', url, '--only', 'a release makes the waiter the holder at once'],
    { isPublished: true },
  )
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^PROMISES +KEPT +BROKEN +NOT TRIED\nhandOff +0 +1 +0\nall +0 +1 +0\n\nBROKEN {2}handOff: a release/,
  )
  expect(stdout).toContain('expected false to be true')
  expect(stderr).toMatch(
    /^holdfast: uses only keys with lock:verify-\w+: in them, and leaves none of that behind\n$/,
  )
})

it('tries nothing where nobody listens, and refuses what it cannot try', async () => {
  const away = await runCli(['verify', 'redis://127.0.0.1:1'], { isPublished: true })
  expect([away.code, away.stdout]).toEqual([69, ''])
  expect(away.stderr).toContain('ECONNREFUSED')
  const other = await runCli(['verify', 'zk://127.0.0.1'], { isPublished: true })
  expect([other.code, other.stderr]).toEqual([64, expect.stringContaining('not zk: for other stores run')])
  const none = await runCli(['verify', server.url, '--only', 'nonsense'], { isPublished: true })
  expect([none.code, none.stderr]).toEqual([
    64,
    expect.stringContaining('no promise has the text "nonsense"'),
  ])
})

describe('on PostgreSQL', () => {
  let database: PostgresServer

  onOwnPostgres(it)('has a schema of its own, and drops it', async () => {
    database = await startPostgres()
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
})
