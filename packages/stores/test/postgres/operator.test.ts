import { Holdfast, RefusedError } from '@holdfast/core'
import { onOwnPostgres, startPostgres, until, type PostgresServer } from '@holdfast/testkit'
import { quietHost } from '@holdfast/conformance'
import type { EngineSession, OperatorSession } from '@holdfast/core/engine'
import { migrationSql, postgres } from '../../src/postgres/index.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const opened: EngineSession[] = []

beforeAll(async () => {
  server = await startPostgres()
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()))
})

afterAll(() => server.stop())

/** A session that listens. */
async function open(clientId: string, role = 'postgres', schema = 'holdfast') {
  const texts: string[] = []
  const host = quietHost(clientId, { onMessage: (text) => void texts.push(text) })
  const session = postgres({ url: server.urlOf({ role }), schema }).open(host)
  opened.push(session)
  const address = session.names.locate('any', 'lock')
  await session.prepare(address)
  await session.inbox.subscribe(address)
  const { operator } = session
  if (!operator) throw new Error('no operator steps')
  return { clientId, session, operator, texts }
}

async function listAll(operator: OperatorSession) {
  const names: string[] = []
  let [cursor, steps]: [string | null, number] = [null, 0]
  do {
    const page = await operator.list(cursor, { pattern: '*', contended: false })
    names.push(...page.found.map(({ address }) => address.name))
    cursor = page.next
    steps += 1
  } while (cursor !== null)
  return { names, steps }
}

it('a client that is gone, or that never was, is known not to be told', async () => {
  const [from, to, gone] = [await open('from'), await open('to'), await open('a client; with "odd" id 🔑')]
  expect(await from.operator.send([gone.clientId, to.clientId], 'all here')).toEqual([true, true])
  await until(() => gone.texts.length > 0, { what: 'the text to arrive' })
  await gone.session.close()
  const ids = [gone.clientId, to.clientId, 'nobody']
  await until(async () => (await from.operator.send(ids, 'again')).join() === 'false,true,false', {
    what: 'PostgreSQL to know who is gone',
  })
  expect(gone.texts).toEqual(['all here'])
})

it('a client whose connections were broken is connected again afterwards', async () => {
  const [from, other] = [await open('breaks'), await open('stays')]
  const ids = async (): Promise<string> =>
    (await other.operator.clients().catch(() => []))
      .map(({ clientId }) => clientId)
      .sort()
      .join()
  const listeners = async (): Promise<string> =>
    JSON.stringify(
      await server.query("select distinct pid from pg_locks where locktype = 'advisory' order by pid"),
    )
  expect(await ids()).toBe('breaks,stays')
  const before = await listeners()
  await server.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'")
  await until(async () => (await listeners()) !== before && (await ids()) === 'breaks,stays', {
    what: 'both clients again',
  })
  expect(await from.operator.send(['stays'], 'hello')).toEqual([true])
})

it('every lock that is held throughout is listed, while others come and go', async () => {
  const { operator } = await open('c1')
  const insert = (prefix: string, count: number) =>
    server.query(`insert into holdfast.lock (name, owner, hold_count, until_us)
      select '${prefix}' || n, 'c:1', 1, 9e15::bigint from generate_series(1, ${count}) n`)
  await insert('held-', 5_000)
  await insert('free-', 2_000)
  await server.query(`update holdfast.lock set until_us = 0 where name like 'free-%'`)
  let cursor: string | null = null
  const names = new Set<string>()
  let step = 0
  do {
    step += 1
    await insert(`passing-${step}-`, 100)
    const page = await operator.list(cursor, { pattern: '*', contended: false })
    for (const { address } of page.found) names.add(address.name)
    expect(page.scanned).toBeLessThanOrEqual(500)
    await server.query(`delete from holdfast.lock where name like 'passing-%'`)
    cursor = page.next
  } while (cursor !== null)
  expect([...names].filter((name) => name.startsWith('held-'))).toHaveLength(5_000)
  expect([...names].filter((name) => name.startsWith('free-'))).toEqual([])
  await server.query(`delete from holdfast.lock`)
})

it('a role with USAGE and EXECUTE may list and tell; one without EXECUTE of a function is refused by its name', async () => {
  await server.query('create role app login')
  await server.query(migrationSql({ schema: 'ours', role: 'app' }))
  const { operator, clientId } = await open('c1', 'app', 'ours')
  const holdfast = new Holdfast({ engine: postgres({ url: server.url, schema: 'ours' }) })
  try {
    await holdfast.getLock('held').withLock(async () => {
      expect((await listAll(operator)).names).toEqual(['held'])
    })
  } finally {
    await holdfast.close()
  }
  expect(await operator.clients()).toHaveLength(1)
  expect(await operator.send([clientId], 'hello')).toEqual([true])
  await server.query('revoke execute on function ours.list(text, text, int, boolean) from app')
  const refused = listAll(operator)
  await expect(refused).rejects.toBeInstanceOf(RefusedError)
  await expect(refused).rejects.toThrow(/list/)
})
