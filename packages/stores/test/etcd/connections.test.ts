import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { RefusedError, UnavailableError } from '@holdfast/core'
import {
  freePort,
  startEtcd,
  startProxy,
  until,
  watchResources,
  type EtcdServer,
  type FaultProxy,
} from '@holdfast/testkit'
import { Client } from '../../src/etcd/client/client.js'
import { NoReplyError } from '../../src/etcd/client/failures.js'
import { rangeOfKey } from '../../src/etcd/wire/kv.js'
import { Clients, failureOf } from './support/clients.js'

let server: EtcdServer
const clients = new Clients()
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  server = await startEtcd()
})

afterEach(async () => {
  await clients.closeAll()
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

afterAll(() => server.stop())

async function openProxy(): Promise<FaultProxy> {
  const proxy = await startProxy(server, 'etcd')
  cleanups.push(() => proxy.close())
  return proxy
}

async function listen(
  listener: Pick<Server, 'listen' | 'close' | 'address'> & NodeJS.EventEmitter,
): Promise<string> {
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  cleanups.push(() => listener.close())
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

/** Accepts connections and says nothing, as a server that is starting or frozen. */
const openSilent = (): Promise<string> => {
  const listener = createServer((socket) => {
    socket.on('error', () => undefined)
    cleanups.push(() => socket.destroy())
  })
  return listen(listener)
}

const originOf = ({ host, port }: FaultProxy): string => `http://${host}:${port}`

function openClient(origins: readonly string[], silenceMs = 600): Client & { readonly breaks: Error[] } {
  const breaks: Error[] = []
  const client = new Client(
    { endpoints: origins.map((origin) => ({ origin, tls: undefined })), user: undefined, silenceMs },
    { connected: () => undefined, broken: (cause) => breaks.push(cause), reauthenticated: () => undefined },
  )
  cleanups.push(() => client.close())
  return Object.assign(client, { breaks })
}

const read = (client: Client, timeoutMs: number): Promise<unknown> =>
  client.call('KV/Range', rangeOfKey('x'), timeoutMs)

it('ends a call by its time in a black hole, and soon gives the connection up', async () => {
  const proxy = await openProxy()
  const client = openClient([originOf(proxy)])
  await read(client, 5_000)
  proxy.blackHole('both', { drop: true })
  expect(await failureOf(read(client, 150))).toBeInstanceOf(NoReplyError)
  await until(() => client.breaks.length === 1)
  expect(client.breaks[0]?.message).toMatch(/has been silent for \d+ ms/)
  expect(client.epoch).toBe(1)
  proxy.heal()
  // What was dialed in the hole is lost for good: it is given up, too.
  await until(() => read(client, 1_000).then(() => true), { timeoutMs: 20_000 })
})

it('keeps a connection whose server is slow and answers pings', async () => {
  const client = openClient([server.url], 200)
  await read(client, 5_000)
  // A watch that nothing happens to owes no reply, and an idle connection gets no pings.
  const stream = client.open('Watch/Watch', { message: () => undefined, ended: () => undefined })
  const laterAt = performance.now() + 1_000
  await until(() => performance.now() > laterAt)
  await read(client, 5_000)
  stream?.close()
  expect(client.breaks).toEqual([])
})

it('tries the next server when one accepts connections and says nothing', async () => {
  const silent = await openSilent()
  // Each begins with either of them.
  for (const origins of [
    [silent, server.url],
    [server.url, silent],
  ]) {
    for (let n = 0; n < 4; n += 1) await read(openClient(origins), 4_000)
  }
})

it('keeps its holds when the server that it uses is cut off and another is there', async () => {
  const [first, second] = [await openProxy(), await openProxy()]
  const holdfast = clients.open({ hosts: [originOf(first), originOf(second)] }, { watchdogTimeoutMs: 4_000 })
  const lease = await holdfast.getLock('moved').lock()
  const used = first.connections > 0 ? first : second
  let renewals = 0
  holdfast.on('renewed', () => (renewals += 1))
  used.blackHole('both')
  await until(() => renewals === 2)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('leaves a server that has lost its leader for another, and stays with an only one', async () => {
  const leaderless = createHttp2Server()
  const sessions: ServerHttp2Session[] = []
  leaderless.on('session', (session) => sessions.push(session))
  leaderless.on('stream', (stream) => {
    const status = { 'grpc-status': 14, 'grpc-message': 'etcdserver: no leader' }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true })
  })
  const origin = await listen(leaderless)
  cleanups.push(() => sessions.forEach((session) => session.destroy()))
  const alone = openClient([origin])
  for (let n = 0; n < 2; n += 1) expect(String(await failureOf(read(alone, 2_000)))).toContain('no leader')
  expect(alone.breaks).toEqual([])
  // Whichever it begins with, the second request goes to the one that can.
  for (let n = 0; n < 6; n += 1) {
    const client = openClient([origin, server.url])
    await read(client, 2_000).catch(() => undefined)
    await read(client, 2_000)
  }
})

it('connects once a frozen server goes on', async () => {
  const frozen = await startEtcd()
  cleanups.push(() => frozen.stop())
  await frozen.freeze()
  const client = openClient([frozen.url])
  const failed = await failureOf(read(client, 900))
  expect(String(failed)).toMatch(
    /could not connect to http:\/\/127.0.0.1:\d+ within 900 ms: .* did not greet within 750 ms/,
  )
  frozen.thaw()
  await read(client, 10_000)
})

it('goes on with a server that has lost everything: the holder is told, waiters get in, evictions arrive', async () => {
  await using own = await startEtcd()
  const [holder, waiter] = Array.from({ length: 2 }, () =>
    clients.open({ hosts: [own.url] }, { watchdogTimeoutMs: 4_000 }),
  )
  if (!holder || !waiter) throw new Error('no client')
  // The revisions of before are ahead of those after.
  for (let n = 0; n < 30; n += 1) await waiter.getLock('earlier').withLock(() => undefined)
  const lease = await holder.getLock('kept').lock()
  const waiting = waiter.getLock('kept').lock()
  await until(async () => (await holder.getLock('kept').inspect()).waiterCount === 1)
  await own.restart({ keepData: false })
  await until(() => lease.signal.aborted)
  const next = await waiting
  await holder.getLock('kept').forceUnlock()
  await until(() => next.signal.aborted)
  expect(next.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked' })
})

it('names the servers at once, and why none can be reached', async () => {
  const hosts = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]
  const holdfast = clients.open({ hosts }, { commandTimeoutMs: 400_000 })
  const failed = await failureOf(holdfast.getLock('x').tryLock())
  expect(failed).toBeInstanceOf(UnavailableError)
  for (const host of hosts) expect(String(failed)).toContain(host)
  expect(String(failed)).toContain('ECONNREFUSED')
})

it('says at once what is not etcd', async () => {
  const http = createHttpServer((_, response) => response.end('hello'))
  const holdfast = clients.open({ hosts: [await listen(http)] })
  const failed = await failureOf(holdfast.getLock('x').tryLock())
  expect(failed).toBeInstanceOf(RefusedError)
  expect(String(failed)).toMatch(/etcd at http:\/\/127.0.0.1:\d+ cannot be used: .*HTTP\/2/)
})

it('warns of servers that keep sessions for longer than is usual and wanted', async () => {
  await using slow = await startEtcd({ args: ['--election-timeout=5000', '--heartbeat-interval=500'] })
  const holdfast = clients.open({ hosts: [slow.url], sessionTimeoutMs: 2_000 })
  const warnings: { code: string; message: string }[] = []
  holdfast.on('warning', (warning) => warnings.push(warning))
  await holdfast.getLock('x').withLock((lease) => expect(lease.remainingMs()).toBeLessThanOrEqual(2_000))
  expect(warnings.map(({ code }) => code)).toEqual(['SESSION_TIME'])
  expect(warnings[0]?.message).toMatch(
    /grants sessions of 8000 ms, not of 2000 ms: .*; see --election-timeout/,
  )
})

it('leaves nothing behind when it is closed while it connects', async () => {
  const silent = await openSilent()
  const watch = watchResources()
  const client = openClient([silent])
  const reading = failureOf(read(client, 60_000))
  client.close()
  expect(String(await reading)).toContain('closed')
  await watch.expectNone()
})
