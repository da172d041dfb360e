import { startMysql, type MysqlServer } from '@holdfast/testkit'
import { mysql } from '../../src/mysql/index.js'

let server: MysqlServer

beforeAll(async () => {
  server = await startMysql({ settings: { max_allowed_packet: '1M' } })
})

afterAll(() => server.stop())

/** Status and text of each check, by its name. */
async function examined(
  options: Partial<Parameters<typeof mysql>[0]> & { readonly user?: string } = {},
): Promise<Record<string, string>> {
  const { user = 'root', ...more } = options
  const engine = mysql({ url: server.urlOf({ user }), ...more } as Parameters<typeof mysql>[0])
  const findings = await engine.examine({ watchdogTimeoutMs: 30_000, timeoutMs: 5_000 })
  return Object.fromEntries(findings.map(({ check, status, text }) => [check, `${status}: ${text}`]))
}

it('a server that was never used is looked at, and nothing is written there', async () => {
  const found = await examined()
  expect(found).toMatchObject({
    version: expect.stringMatching(/^ok: /) as string,
    writable: 'ok: the server takes writes',
    table: expect.stringMatching(
      /^unknown: app.holdfast does not exist yet: the first client creates it/,
    ) as string,
    rows: expect.stringMatching(/^unknown: /) as string,
    durability: expect.stringMatching(
      /^warning: innodb_flush_log_at_trx_commit is 2: a crash of the machine loses/,
    ) as string,
    replication: expect.stringMatching(/^ok: none/) as string,
    clock: expect.stringMatching(
      /^ok: \d+ ms (behind|ahead of) this machine's; leases follow the server's alone/,
    ) as string,
    'packet size': expect.stringMatching(
      /^warning: max_allowed_packet is 1048576: a lock with thousands of/,
    ) as string,
  })
  expect((await examined({ migrate: 'check' }))['table']).toMatch(
    /^failed: app.holdfast does not exist: run the SQL/,
  )
  expect(await server.query('show tables')).toEqual([])
})

it('a table of another storage engine fails, and so do rights that are missing, and a server that is read-only', async () => {
  const { session } = await import('./support/sessions.js').then(({ openSession }) =>
    openSession({ url: server.url }),
  )
  await session.prepare()
  await session.close()
  expect((await examined())['table']).toBe('ok: app.holdfast, InnoDB, and the user may use it')
  expect((await examined())['rows']).toMatch(/^ok: \d+$/)
  await server.query("create user reader@'%'")
  await server.query('grant select on app.* to reader')
  expect((await examined({ user: 'reader' }))['table']).toBe(
    'failed: the user lacks UPDATE, INSERT, DELETE on app.holdfast',
  )
  await server.query('drop table holdfast')
  await server.query(
    'create table holdfast (id varbinary(9), version varbinary(16), at_us bigint, until_us bigint, text blob) engine=MyISAM',
  )
  expect((await examined())['table']).toMatch(/^failed: app.holdfast is kept by MyISAM: run alter table/)
  await server.query('set global read_only = 1')
  await server.query('set global innodb_flush_log_at_trx_commit = 1')
  const found = await examined()
  expect(found['writable']).toBe('failed: read_only: locks need to be written; name the primary')
  expect(found['durability']).toMatch(/^ok: .* a step is on disk when it has its reply$/)
})

it('rejects where nobody listens', async () => {
  const engine = mysql({ url: 'mysql://root@127.0.0.1:1/app' })
  await expect(engine.examine({ watchdogTimeoutMs: 30_000, timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
})
