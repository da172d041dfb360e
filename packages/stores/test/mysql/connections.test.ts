import { killConnections, startMysql, until, type MysqlServer } from '@holdfast/testkit'
import { inTime, openSession } from './support/sessions.js'

let server: MysqlServer

beforeAll(async () => {
  server = await startMysql()
})

afterAll(() => server.stop())

const table = 'connections'

it('a client has one connection, up to four while it does much at once, and one again later', async () => {
  await using opened = openSession({ url: server.url, table })
  const { session } = opened
  await session.prepare()
  const count = async (): Promise<unknown> =>
    (await server.query('select count(*) - 1 as n from information_schema.processlist'))[0]?.['n']
  expect(await count()).toBe(1)
  await Promise.all(Array.from({ length: 200 }, (_, n) => session.read(`${n}`, inTime)))
  expect(await count()).toBe(4)
  await until(async () => (await count()) === 1, { timeoutMs: 15_000 })
  expect(opened.told).toEqual([])
}, 20_000)

it('connections that an administrator ends are made again, and the client is told', async () => {
  await using opened = openSession({ url: server.url, table })
  const { session, told, errors } = opened
  await session.prepare()
  const epoch = session.connectionEpoch
  await killConnections(server)
  await until(() => told.includes('reconnected'))
  expect(told).toEqual(['broken', 'reconnected'])
  expect(session.connectionEpoch).toBeGreaterThan(epoch)
  expect(errors[0]).toMatchObject({ code: 'UNAVAILABLE' })
  await session.read('a', inTime)
})

it('a server that hangs holds up no call for longer than it may take, and its connections are replaced', async () => {
  await using hanging = await startMysql()
  await using opened = openSession({ url: hanging.url, table }, { commandTimeoutMs: 1_000 })
  const { session, told } = opened
  await session.read('a', inTime)
  await hanging.freeze()
  await expect(session.read('a', 100)).rejects.toThrow(/did not reply within 100 ms/)
  await until(() => told.includes('broken'))
  hanging.thaw()
  await until(() => told.includes('reconnected'))
  await session.read('a', inTime)
})

it('nothing of a closed session is left, whatever was under way', async () => {
  const { session } = openSession({ url: server.url, table })
  const reading = Array.from({ length: 20 }, (_, n) => session.read(`${n}`, inTime))
  const ends = Promise.allSettled(reading)
  await session.close()
  for (const end of await ends)
    if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'CLOSED' })
  await expect(session.read('a', inTime)).rejects.toMatchObject({ code: 'CLOSED' })
})

it('the first step rejects at once where nobody listens', async () => {
  await using opened = openSession({ url: 'mysql://root@127.0.0.1:1/app', table })
  await expect(opened.session.prepare()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/^MySQL at 127.0.0.1:1\/app is unavailable: .*ECONNREFUSED/) as string,
  })
})
