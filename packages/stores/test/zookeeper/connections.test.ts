import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTo, createServer, type AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { RefusedError, UnavailableError } from '@holdfast/core'
import {
  freePort,
  makeCertificate,
  scratchFolder,
  skippedIf,
  startProxy,
  startZooKeeper,
  uniqueName,
  whyNoCertificate,
  type LocalZooKeeper,
} from '@holdfast/testkit'
import { Clients, failureOf } from './support/clients.js'
import { withSession } from './support/nodes.js'

const clients = new Clients()
let server: LocalZooKeeper

beforeAll(async () => {
  server = await startZooKeeper()
})
afterEach(() => clients.closeAll())
afterAll(() => server.stop())

it('a server that accepts connections and stays silent, as one that starts does, delays a client by less than a second', async () => {
  const silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    // Clients begin with any of their servers.
    for (let n = 0; n < 4; n += 1) {
      const holdfast = clients.open(`127.0.0.1:${port},${server.connect}`, { commandTimeoutMs: 4_000 })
      await holdfast.getLock(uniqueName('silent')).withLock(() => undefined)
    }
  } finally {
    await clients.closeAll()
    silent.close()
  }
})

it('where nobody listens is said at once, with the address', async () => {
  const port = await freePort()
  const holdfast = clients.open(`127.0.0.1:${port}`)
  holdfast.on('error', () => undefined)
  const error = await failureOf(holdfast.getLock('a').tryLock())
  expect(error).toBeInstanceOf(UnavailableError)
  expect(String(error)).toContain(`127.0.0.1:${port}`)
})

it('something else than ZooKeeper is said to be that', async () => {
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'.padEnd(400)))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const holdfast = clients.open(`127.0.0.1:${port}`, { commandTimeoutMs: 1_000 })
  holdfast.on('error', () => undefined)
  expect(await failureOf(holdfast.getLock('a').tryLock())).toBeInstanceOf(UnavailableError)
  other.close()
})

it('a path that does not exist is refused, with the way out', async () => {
  const holdfast = clients.open(`${server.connect}/nowhere`)
  const error = await failureOf(holdfast.getLock('a').lock())
  expect(error).toBeInstanceOf(RefusedError)
  expect(String(error)).toContain('there is no node /nowhere, which connect names: create it')
})

it('everything is kept below the path, and clients of another one have other locks', async () => {
  await withSession(server.connect, async (ask, make) => {
    for (const path of ['/a', '/b']) await ask(make.create(path, '', 0))
  })
  const name = uniqueName('path')
  const lease = await clients.open(`${server.connect}/a`).getLock(name).lock()
  const other = await clients.open(`${server.connect}/b`).getLock(name).tryLock()
  expect(other?.isHeld).toBe(true)
  await other?.unlock()
  await lease.unlock()
  await withSession(server.connect, async (ask, make) => {
    expect(await ask(make.getChildren('/a', false))).toEqual(['holdfast'])
  })
})

it('nodes with an access list are for clients that authenticate, and others are refused', async () => {
  await withSession(server.connect, (ask, make) => ask(make.create('/private', '', 0)))
  const acl = [{ permissions: 'rwcda', scheme: 'auth', id: '' }]
  const auth = [{ scheme: 'digest', auth: 'me:secret' }]
  const connect = `${server.connect}/private`
  const name = uniqueName('private')
  await clients
    .open(connect, {}, { auth, acl })
    .getLock(name)
    .withLock(() => undefined)
  const stranger = clients.open(connect)
  stranger.on('error', () => undefined)
  const error = await failureOf(stranger.getLock(name).lock())
  expect(error).toBeInstanceOf(RefusedError)
  expect(String(error)).toContain('this client has no rights to the node: give `auth`')
  await clients
    .open(connect, {}, { auth, acl })
    .getLock(name)
    .withLock(() => undefined)
})

it('an authentication that the server does not know is refused', async () => {
  const holdfast = clients.open(server.connect, {}, { auth: [{ scheme: 'nonsense', auth: 'x' }] })
  holdfast.on('error', () => undefined)
  expect(await failureOf(holdfast.getLock('a').lock({ waitMs: 5_000 }))).toBeInstanceOf(RefusedError)
})

it('servers that grant shorter sessions are warned of, and leases end with those', async () => {
  const holdfast = clients.open(server.connect, { watchdogTimeoutMs: 200_000 })
  const warned = new Promise<{ code: string; message: string }>((resolve) =>
    holdfast.once('warning', resolve),
  )
  const lease = await holdfast.getLock(uniqueName('long')).lock()
  expect(await warned).toMatchObject({
    code: 'SESSION_TIME',
    message: expect.stringContaining('grants sessions of 120000 ms, not of 200000 ms') as string,
  })
  expect(lease.remainingMs()).toBeLessThanOrEqual(120_000)
  await lease.unlock()
})

skippedIf(whyNoCertificate, it)(
  'over TLS a certificate of an authority that is not known is an error that says so',
  async () => {
    const folder = await scratchFolder()
    const { keyFile, ca } = makeCertificate(folder.path)
    const terminator = createTlsServer({ key: readFileSync(keyFile), cert: ca }, (socket) => {
      const plain = connectTo(server.port, server.host)
      socket.pipe(plain).pipe(socket)
      for (const each of [socket, plain]) each.on('error', () => undefined)
    })
    terminator.listen(0, '127.0.0.1')
    await once(terminator, 'listening')
    const { port } = terminator.address() as AddressInfo
    try {
      for (const host of ['127.0.0.1', 'localhost']) {
        const trusting = clients.open(`${host}:${port}`, {}, { tls: { ca } })
        await trusting.getLock(uniqueName('tls')).withLock(() => undefined)
      }
      const wary = clients.open(`127.0.0.1:${port}`, { commandTimeoutMs: 1_000 }, { tls: true })
      wary.on('error', () => undefined)
      const error = await failureOf(wary.getLock('a').tryLock())
      expect(error).toBeInstanceOf(UnavailableError)
      expect(String(error)).toContain('self-signed certificate')
    } finally {
      await clients.closeAll()
      terminator.close()
      await folder.remove()
    }
  },
)

it('a closed client leaves nothing behind at the server', async () => {
  const holdfast = clients.open(server.connect)
  await holdfast.getLock(uniqueName('left')).lock()
  await holdfast.close()
  await withSession(server.connect, async (ask, make) => {
    const paths = ['/holdfast/clients', '/holdfast/mail']
    const left = await Promise.all(paths.map((path) => ask(make.getChildren(path, false))))
    expect(left.flat().filter((name) => name?.startsWith(holdfast.clientId))).toEqual([])
  })
})

it('a request that waits for less than a reply takes leaves the connection to the others', async () => {
  await using proxy = await startProxy(server, 'zookeeper')
  await withSession(`${proxy.host}:${proxy.port}`, async (ask, make, session) => {
    const look = make.getChildren('/', false)
    await ask(look)
    proxy.delay(50)
    const patient = ask(look)
    await expect(session.request(look, 5)).rejects.toThrow('no reply within 5 ms')
    expect(await patient).toContain('zookeeper')
    expect(session.epoch).toBe(0)
  })
})
