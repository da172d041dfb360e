import { startMysql, until, type MysqlServer } from '@holdfast/testkit'
import type { MysqlSession } from '../../src/mysql/session.js'
import { inTime, keepMs, openSession } from './support/sessions.js'

let server: MysqlServer

beforeAll(async () => {
  server = await startMysql()
})

afterAll(() => server.stop())

const listed = async (
  session: MysqlSession,
  prefix: string,
  { after = null, limit = 100 }: { readonly after?: string | null; readonly limit?: number } = {},
): Promise<string[]> => (await session.list({ prefix, after, limit }, inTime)).documents.map(({ key }) => key)

const open = (table: string, url = server.url) => openSession({ url, table })

it('replaces a document only if it is what was read', async () => {
  await using one = open('replaces')
  await using other = open('replaces')
  const [{ version: none, text }] = [await one.session.read('a', inTime)]
  expect(text).toBe('')
  expect(await other.session.replace('a', 'first ✓', none, keepMs, inTime)).toBe(true)
  expect(await one.session.replace('a', 'second', none, keepMs, inTime)).toBe(false)
  const found = await one.session.read('a', inTime)
  expect(found.text).toBe('first ✓')
  expect(await one.session.replace('a', 'third', found.version, keepMs, inTime)).toBe(true)
  expect(await other.session.replace('a', 'fourth', found.version, keepMs, inTime)).toBe(false)
  expect((await other.session.read('a', inTime)).text).toBe('third')
})

it('a replacement that comes late changes nothing, though the document was deleted and made again since', async () => {
  await using one = open('late')
  await using other = open('late')
  const { version: absent } = await one.session.read('a', inTime)
  await one.session.replace('a', 'text', absent, keepMs, inTime)
  const { version: stale } = await one.session.read('a', inTime)
  expect(await other.session.replace('a', '', stale, keepMs, inTime)).toBe(true)
  const deleted = await other.session.read('a', inTime)
  expect(deleted.text).toBe('')
  expect(await one.session.replace('a', 'late', absent, keepMs, inTime)).toBe(false)
  expect(await one.session.replace('a', 'late', stale, keepMs, inTime)).toBe(false)
  expect(await other.session.replace('a', 'text', deleted.version, keepMs, inTime)).toBe(true)
  expect(await one.session.replace('a', 'late', stale, keepMs, inTime)).toBe(false)
  expect((await one.session.read('a', inTime)).text).toBe('text')
})

it.each([
  ['of 1 024 bytes', 'ü'.repeat(512)],
  ['with a NUL', 'a\0b'],
  ['with quotes and backslashes', String.raw`'"\%_` + '`'],
  ['outside the basic plane', '🔒'],
])('takes names %s, and tells apart what only looks alike', async (_, name) => {
  await using opened = open('names')
  const { session } = opened
  const others = [`${name} `, `${name}\0`, name.toUpperCase() === name ? `x${name}` : name.toUpperCase()]
  for (const key of [name, ...others]) {
    const { version, text } = await session.read(key, inTime)
    expect(text).toBe('')
    expect(await session.replace(key, `of ${key}`, version, keepMs, inTime)).toBe(true)
  }
  for (const key of [name, ...others]) expect((await session.read(key, inTime)).text).toBe(`of ${key}`)
  expect(await listed(session, name)).toEqual(expect.arrayContaining([name, `${name} `]))
})

it('lists the documents there are whose keys begin so', async () => {
  await using opened = open('lists')
  const { session } = opened
  for (const key of ['a', 'ab', 'ä', 'b', 'gone', 'over']) {
    const { version } = await session.read(key, inTime)
    await session.replace(key, 'text', version, key === 'over' ? 0 : keepMs, inTime)
  }
  const { version } = await session.read('gone', inTime)
  await session.replace('gone', '', version, keepMs, inTime)
  expect(await listed(session, '')).toEqual(['a', 'ab', 'b', 'ä'])
  expect(await listed(session, 'a')).toEqual(['a', 'ab'])
  expect(await listed(session, '', { after: 'ab' })).toEqual(['b', 'ä'])
  expect(await listed(session, '', { limit: 2 })).toEqual(['a', 'ab'])
  expect(await session.list({ prefix: 'b', after: null, limit: 1 }, inTime)).toEqual({
    documents: [{ key: 'b', text: 'text' }],
    nowUs: expect.any(Number) as number,
    total: expect.any(Number) as number,
  })
})

it('its clock is the server’s, and does not go back behind the last write though that does', async () => {
  await using opened = open('clock')
  const { session } = opened
  const { nowUs, version } = await session.read('a', inTime)
  expect(Math.abs(nowUs / 1_000 - Date.now())).toBeLessThan(5_000)
  await session.replace('a', 'text', version, keepMs, inTime)
  const aheadUs = 3_600e6
  await server.query('update clock set at_us = at_us + ? where id = ?', [aheadUs, Buffer.from('da')])
  const ahead = await session.read('a', inTime)
  expect(ahead.nowUs).toBeGreaterThan(nowUs + aheadUs)
  await session.replace('a', 'text', ahead.version, keepMs, inTime)
  expect((await session.read('a', inTime)).nowUs).toBe(ahead.nowUs)
})

it('names the data anew when they are gone, and says how old they are', async () => {
  await using opened = open('lost')
  const { session } = opened
  const before = await session.read('a', inTime)
  await session.replace('a', 'text', before.version, keepMs, inTime)
  await server.query("update lost set at_us = at_us - 3600000000 where id = 's'")
  expect(await session.uptimeMs()).toBeGreaterThan(3_600_000)
  const { version } = await session.read('a', inTime)
  for (const lose of ['truncate table lost', 'drop table lost']) {
    const { incarnation } = await session.read('a', inTime)
    await server.query(lose)
    expect(await session.replace('a', 'late', version, keepMs, inTime)).toBe(false)
    const after = await session.read('a', inTime)
    expect(after.text).toBe('')
    expect(after.incarnation).not.toBe(incarnation)
    expect(await session.uptimeMs()).toBeLessThan(60_000)
  }
})

it('clients that come first at the same time agree on what the data are called', async () => {
  const opened = Array.from({ length: 8 }, () => open('first'))
  const found = await Promise.all(opened.map(({ session }) => session.read('a', inTime)))
  expect(new Set(found.map(({ incarnation }) => incarnation)).size).toBe(1)
  await Promise.all(opened.map(({ session }) => session.close()))
})

it('deletes rows that have been over for a while, and no others', async () => {
  await using opened = open('swept')
  const { session } = opened
  for (const key of ['over', 'just over', 'kept']) {
    const { version } = await session.read(key, inTime)
    await session.replace(key, 'text', version, key === 'kept' ? keepMs : 0, inTime)
  }
  await server.query('update swept set until_us = until_us - 3600000000 where id = ?', [Buffer.from('dover')])
  await session.prepare()
  const rows = () => server.query("select cast(id as char) as id from swept where id <> 's' order by id")
  await until(async () => (await rows()).length === 2)
  expect(await rows()).toEqual([{ id: 'djust over' }, { id: 'dkept' }])
})

it('passes over a row that an open transaction has locked, and deletes the others', async () => {
  await using opened = openSession({ url: server.url, table: 'busy' }, { commandTimeoutMs: 1_000 })
  const { session, told } = opened
  for (const key of ['locked', 'over']) {
    const { version } = await session.read(key, inTime)
    await session.replace(key, 'text', version, 0, inTime)
  }
  // The locked one is the first that a sweep finds.
  await server.query("update busy set until_us = until_us - 3600000000 where id <> 's'")
  await server.query('update busy set until_us = until_us - 1 where id = ?', [Buffer.from('dlocked')])
  const { createConnection } = await import('mysql2/promise')
  const fenced = await createConnection(server.url)
  try {
    await fenced.query('begin')
    await fenced.query('select * from busy where id = ? for update', [Buffer.from('dlocked')])
    await session.prepare()
    const rows = () => server.query("select cast(id as char) as id from busy where id <> 's'")
    await until(async () => (await rows()).length === 1)
    expect(await rows()).toEqual([{ id: 'dlocked' }])
    expect(told).toEqual([])
  } finally {
    await fenced.end()
  }
})

it('a deadlock counts as not replaced, and the next attempt may succeed', async () => {
  await using opened = open('deadlock')
  const { session } = opened
  const { version } = await session.read('a', inTime)
  await server.query(
    `create trigger victim before insert on deadlock for each row
     signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Deadlock found'`,
  )
  expect(await session.replace('a', 'text', version, keepMs, inTime)).toBe(false)
  await server.query('drop trigger victim')
  expect(await session.replace('a', 'text', version, keepMs, inTime)).toBe(true)
})

it('a row that another transaction has locked ends a step in its own time, and says so when the server gave up', async () => {
  await using opened = openSession({ url: server.url, table: 'locked' }, { commandTimeoutMs: 1_000 })
  const { session } = opened
  const { version: absent } = await session.read('a', inTime)
  await session.replace('a', 'text', absent, keepMs, inTime)
  const { version } = await session.read('a', inTime)
  const { createConnection } = await import('mysql2/promise')
  const stranger = await createConnection(server.url)
  try {
    await stranger.query('begin')
    await stranger.query('select * from locked for update')
    await expect(session.replace('a', 'late', version, keepMs, 300)).rejects.toThrow(
      /did not reply within 300 ms/,
    )
    await expect(session.replace('a', 'late', version, keepMs, inTime)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/another transaction has locked rows of table locked/) as string,
    })
    expect((await session.read('a', inTime)).text).toBe('text')
  } finally {
    stranger.destroy()
  }
  await until(async () =>
    session.replace('a', 'free', (await session.read('a', inTime)).version, keepMs, inTime),
  )
})

it('works whatever the defaults of the server are', async () => {
  await using odd = await startMysql({
    settings: {
      sql_mode: 'ORACLE,NO_BACKSLASH_ESCAPES,EMPTY_STRING_IS_NULL,PAD_CHAR_TO_FULL_LENGTH',
      transaction_isolation: 'SERIALIZABLE',
      transaction_read_only: '0',
      autocommit: '0',
      default_time_zone: '+05:30',
      character_set_server: 'latin1',
      default_storage_engine: 'MyISAM',
      lower_case_table_names: '1',
      log_bin: 'bin',
      binlog_format: 'STATEMENT',
      wait_timeout: '3',
    },
  })
  await using one = open('odd', odd.url)
  await using other = open('odd', odd.url)
  const { session } = one
  const { nowUs, version } = await session.read(String.raw`\'`, inTime)
  expect(Math.abs(nowUs / 1_000 - Date.now())).toBeLessThan(5_000)
  expect(await session.replace(String.raw`\'`, '✓', version, keepMs, inTime)).toBe(true)
  const found = await other.session.read(String.raw`\'`, inTime)
  expect(found.text).toBe('✓')
  expect(await other.session.replace(String.raw`\'`, '', found.version, keepMs, inTime)).toBe(true)
  expect(await listed(session, '')).toEqual([])
})
