import { once } from 'node:events'
import { createServer as createWebServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { RefusedError, UnavailableError } from '@holdfast/core'
import { onOwnPostgres, startPostgres, startRedis, until } from '@holdfast/testkit'
import { Clients, failureOf } from './support/clients.js'

const clients = new Clients()
const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await clients.closeAll()
  for (const clean of cleanups.splice(0)) await clean()
})

async function urlOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    server.close()
    await once(server, 'close')
  })
  return `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/app`
}

const failuresOf = async (url: string, options: { commandTimeoutMs?: number } = {}) => {
  const lock = clients.open({ url }, options).holdfast.getLock('order')
  return [await failureOf(lock.lock({ waitMs: 300 })), await failureOf(lock.tryLock())]
}

it.each([
  ['a web server', () => createWebServer(), ''],
  ['a web server, with TLS,', () => createWebServer(), '?ssl=true'],
  ['a proxy that reaches nothing', () => createServer((socket) => socket.resume().end()), ''],
])('says that %s may not be PostgreSQL, at once where a call does not wait', async (_, server, query) => {
  for (const failure of await failuresOf(`${await urlOf(server())}${query}`)) {
    expect(failure).toBeInstanceOf(UnavailableError)
    const { message } = failure as Error
    expect(message).toMatch(
      /ended the connection without a reply of PostgreSQL: check that host and port are those/,
    )
    expect(message).not.toContain('did not reply')
  }
})

it('says of a server that accepts and says nothing, such as Redis, what to check, whichever limit ends the call', async () => {
  const redis = await startRedis()
  cleanups.push(() => redis.stop())
  for (const failure of await failuresOf(`postgres://${redis.host}:${redis.port}/app`, {
    commandTimeoutMs: 600,
  })) {
    expect(failure).toBeInstanceOf(UnavailableError)
    expect(String(failure)).toMatch(
      /accepted, and nothing has come back: .*check that host and port are those of PostgreSQL/,
    )
  }
})

onOwnPostgres(it)('a server without TLS refuses at once who insists on it', async () => {
  const server = await startPostgres()
  cleanups.push(() => server.stop())
  for (const failure of await failuresOf(`${server.url}?ssl=true`)) {
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toMatch(
      /PostgreSQL at \S+ cannot be used: the server does not speak TLS: leave out sslmode/,
    )
  }
})

onOwnPostgres(it)('does not doubt a server that has replied before', async () => {
  const server = await startPostgres()
  cleanups.push(() => server.stop())
  const lock = clients.open({ url: server.url }, { commandTimeoutMs: 1_100 }).holdfast.getLock('order')
  await lock.withLock(() => undefined)
  await server.freeze()
  const failure = await failureOf(lock.tryLock())
  server.thaw()
  expect(String(failure)).toMatch(/^(?!.*check that host and port).*did not reply/)
})

onOwnPostgres(it)(
  'a connection whose replies are out of step, since one was dropped, is made anew',
  async () => {
    const server = await startPostgres()
    cleanups.push(() => server.stop())
    const { hostname, port, pathname, username } = new URL(server.url)
    let isDropping = false
    const sockets: Socket[] = []
    const proxy = createServer((client) => {
      const database = connect(Number(port), hostname)
      client.pipe(database)
      database.on('data', (data) => isDropping || client.write(data))
      for (const socket of [client, database]) sockets.push(socket.on('error', () => undefined))
      client.on('close', () => database.destroy())
      database.on('close', () => client.destroy())
    })
    const url = new URL(await urlOf(proxy))
    cleanups.unshift(async () => {
      for (const socket of sockets) socket.destroy()
      await Promise.resolve()
    })
    url.pathname = pathname
    url.username = username
    const lock = clients.open({ url: url.href }, { commandTimeoutMs: 1_000 }).holdfast.getLock('order')
    await lock.withLock(() => undefined)
    isDropping = true
    await failureOf(lock.isLocked())
    isDropping = false
    await until(() => lock.withLock({ waitMs: 5_000 }, () => true).catch(() => false))
  },
)
