import { once } from 'node:events'
import { createServer } from 'node:net'
import { startMysql, until, type MysqlServer } from '@holdfast/testkit'
import { judgeVersion } from '../../src/mysql/database-check.js'
import { migrationSql } from '../../src/mysql/index.js'
import { inTime, keepMs, openSession } from './support/sessions.js'

let server: MysqlServer

beforeAll(async () => {
  server = await startMysql()
})

afterAll(() => server.stop())

/** What the first use rejects with. */
async function refusalOf(options: Parameters<typeof openSession>[0]): Promise<unknown> {
  await using opened = openSession(options)
  return await opened.session.prepare().then(
    () => 'accepted',
    (error: unknown) => error,
  )
}

const refusal = (words: RegExp): unknown =>
  expect.objectContaining({ code: 'REFUSED', message: expect.stringMatching(words) as string })

it('refuses a server that is read-only, by name, also to a user who may write there', async () => {
  await using replica = await startMysql()
  await replica.query('set global read_only = 1')
  expect(await refusalOf({ url: replica.url })).toEqual(
    refusal(/the server is read-only \(read_only\): locks need to be written; connect to the primary/),
  )
})

it('a primary that becomes read-only is unavailable until it, or another behind the name, takes writes', async () => {
  await using failing = await startMysql()
  await failing.query("create user app@'%'")
  await failing.query('grant all on app.* to app')
  await using opened = openSession({ url: failing.urlOf({ user: 'app' }) })
  const { session } = opened
  const { version } = await session.read('a', inTime)
  await failing.query('set global read_only = 1')
  const refused = await session.replace('a', 'text', version, keepMs, inTime).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'UNAVAILABLE' })
  await expect(session.read('a', 500)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await failing.query('set global read_only = 0')
  await until(() => session.replace('a', 'text', version, keepMs, inTime))
})

it.each([
  ['10.5.27-MariaDB', { name: 'MariaDB 10.5', isOld: true }],
  ['10.6.0-MariaDB-log', { name: 'MariaDB 10.6', isOld: false }],
  ['11.4.2-MariaDB', { name: 'MariaDB 11.4', isOld: false }],
  ['5.7.44-log', { name: 'MySQL 5.7', isOld: true }],
  ['8.0.36', { name: 'MySQL 8.0', isOld: false }],
  ['9.1.0', { name: 'MySQL 9.1', isOld: false }],
])('version %s is %j', (version, expected) => expect(judgeVersion(version)).toEqual(expected))

it('refuses a wrong password, a database that is missing, and a user without rights, with the way out', async () => {
  await server.query("create user locked@'%' identified by 'right'")
  await server.query("create user poor@'%'")
  await server.query('create database elsewhere')
  await server.query('grant select on elsewhere.* to poor')
  const { host, port } = server
  expect(await refusalOf({ url: `mysql://locked:wrong@${host}:${port}/app` })).toEqual(
    refusal(/Access denied for user 'locked'.*: check user and password/),
  )
  expect(await refusalOf({ url: server.urlOf({ database: 'missing' }) })).toEqual(
    refusal(/Unknown database 'missing': create it, or name the one that the locks are in/),
  )
  const poor = server.urlOf({ user: 'poor', database: 'elsewhere' })
  expect(await refusalOf({ url: poor, migrate: 'check' })).toEqual(
    refusal(/table holdfast does not exist in database elsewhere, .*migrate: 'check'.*migrationSql\(\)/),
  )
  expect(await refusalOf({ url: poor })).toEqual(
    refusal(/the user may not create table holdfast in database elsewhere; run the SQL of migrationSql\(\)/),
  )
})

it('a user needs no more than the four rights on the table that the SQL made', async () => {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: server.url, multipleStatements: true })
  await connection.query(migrationSql({ table: 'given' }))
  await connection.query(migrationSql({ table: 'given' }))
  await connection.query("create user small@'%'")
  await connection.query('grant select, insert, update on app.given to small')
  const url = server.urlOf({ user: 'small' })
  await using opened = openSession({ url, table: 'given', migrate: 'check' })
  const { version } = await opened.session.read('a', inTime)
  expect(await opened.session.replace('a', 'text', version, keepMs, inTime)).toBe(true)
  await connection.query('revoke insert on app.given from small')
  await expect(opened.session.replace('b', 'text', null, keepMs, inTime)).rejects.toThrow(
    /INSERT command denied.*: the user needs SELECT, INSERT, UPDATE and DELETE on app.given/,
  )
  connection.destroy()
})

it('refuses a table of a later format', async () => {
  await using opened = openSession({ url: server.url, table: 'later' })
  await opened.session.prepare()
  await server.query("update later set text = '2' where id = 's'")
  expect(await refusalOf({ url: server.url, table: 'later' })).toEqual(
    refusal(
      /table later has format 2, and this version of @holdfast\/stores knows 1: update it, or name another/,
    ),
  )
})

it('gives up on what accepts connections and never says a word', async () => {
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await using opened = openSession({ url: `mysql://root@127.0.0.1:${port}/app` }, { commandTimeoutMs: 300 })
  await expect(opened.session.prepare()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  silent.close()
})
