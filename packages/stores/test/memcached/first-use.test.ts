import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { RefusedError, UnavailableError } from '@holdfast/core'
import {
  freePort,
  makeCertificate,
  scratchFolder,
  skippedIf,
  startMemcached,
  until,
  whyNoCertificate,
  type ScratchFolder,
  soon,
} from '@holdfast/testkit'
import type { MemcachedOptions } from '../../src/memcached/options.js'
import { BareSession } from './support/bare-session.js'
import { FakeServer } from './support/fake-server.js'

let folder: ScratchFolder
const sessions: BareSession[] = []

beforeAll(async () => {
  folder = await scratchFolder()
})

afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()))
})

afterAll(() => folder.remove())

const open = (options: MemcachedOptions): BareSession => {
  const session = BareSession.of(options)
  sessions.push(session)
  return session
}

async function refuses(options: MemcachedOptions, told: RegExp): Promise<void> {
  const session = open(options)
  await expect(session.prepare()).rejects.toThrow(RefusedError)
  await expect(session.prepare()).rejects.toThrow(told)
}

describe('first use refuses', () => {
  it('a server that evicts, unless that is accepted, with a warning', async () => {
    await using server = await startMemcached(['-m', '4'])
    const { url } = server
    await refuses(
      { url },
      /memcached at .* cannot be used: it deletes locks.*start it with -M, or accept that by evictable: 'accepted'/,
    )
    const session = open({ url, evictable: 'accepted' })
    await session.prepare()
    await session.write('a', 'x')
    await server.restart()
    await until(() => session.textOf('a').then((text) => text === ''))
    expect(session.warnings).toEqual([
      expect.stringMatching(/^EVICTION_POLICY: memcached at .* deletes locks .*-M/),
    ])
  })

  it('one without CAS', async () => {
    await using server = await startMemcached(['-M', '-C'])
    await refuses({ url: server.url }, /it runs with -C, and without CAS ids it cannot keep locks/)
  })

  it('one that was restarted with other arguments, by what they are', async () => {
    await using server = await startMemcached()
    const session = open({ url: server.url })
    await session.prepare()
    await server.restart(['-m', '4'])
    await until(() => session.textOf('a').catch((error: unknown) => error instanceof RefusedError))
    await expect(session.textOf('a')).rejects.toThrow(/it deletes locks/)
    await server.restart(['-M'])
    await until(() => session.textOf('a').then(() => true))
  })

  it('one with users without a user, and with a wrong password', async () => {
    const file = join(folder.path, 'users')
    await writeFile(file, 'other:word\napp:pass:word\n')
    await using server = await startMemcached(['-M', '-Y', file])
    const { url } = server
    await refuses({ url }, /it has an --auth-file: give memcached\(\) the user and password/)
    const wrong = { url, user: 'app', password: 'secret' }
    await refuses(wrong, /it rejected the password of user app: check user and password \(CLIENT_ERROR/)
    const session = open({ url, user: 'app', password: 'pass:word' })
    await session.prepare()
    expect(await session.write('a', 'x')).toBe(true)
  })

  it.each([
    ['mcrouter', 'VERSION mcrouter 0.41.0\r\n', '', /it is mcrouter \(VERSION mcrouter 0\.41\.0\), a proxy/],
    [
      'an old server',
      'VERSION 1.5.22\r\n',
      'STAT cas_enabled yes\r\n',
      /VERSION 1\.5\.22, and Holdfast needs memcached 1\.6/,
    ],
    [
      "memcached's own proxy mode",
      'VERSION 1.6.39\r\n',
      'STAT proxy_enabled yes\r\n',
      /it runs in proxy mode/,
    ],
    ['a proxy without settings', 'VERSION 1.6.39\r\n', '', /it does not reply to stats settings/],
    ['another program', 'ERROR\r\n', '', /it is not memcached, it replied "ERROR" to version/],
  ])('%s', async (_, version, settings, told) => {
    await using server = await FakeServer.start((line) => {
      if (line.startsWith('get')) return 'END\r\n'
      return line === 'version' ? version : `${settings}END\r\n`
    })
    await refuses({ url: server.url }, told)
  })

  it('twemproxy, which hangs up at commands that it does not know', async () => {
    await using server = await FakeServer.start((line) => (line.startsWith('get') ? 'END\r\n' : null))
    await refuses(
      { url: server.url },
      /it replies to get and hangs up at version, as a proxy such as twemproxy does/,
    )
  })

  it.each([
    ['Redis', '$-1\r\n', /it is not memcached: it replied '\$-1' to get/],
    [
      'HTTP',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      /it is not memcached: it replied 'HTTP\/1\.1 400 Bad Request' to get/,
    ],
  ])('a server that speaks %s', async (_, reply, told) => {
    await using server = await FakeServer.start(() => reply)
    await refuses({ url: server.url }, told)
  })
})

it('is over at once where nobody listens, and may succeed later', async () => {
  const port = await freePort()
  const session = open({ url: `memcached://127.0.0.1:${port}` })
  await expect(soon(session.prepare())).rejects.toThrow(UnavailableError)
  await expect(soon(session.prepare())).rejects.toThrow(
    /memcached at 127\.0\.0\.1:\d+ is unavailable: could not connect/,
  )
})

skippedIf(whyNoCertificate, it)('speaks TLS, and says what is wrong with a certificate', async () => {
  const { keyFile, certFile, ca } = makeCertificate(folder.path)
  await using server = await startMemcached([
    ...['-M', '-Z', '-o', `ssl_chain_cert=${certFile},ssl_key=${keyFile}`],
  ])
  const { url } = server
  const session = open({ url, tls: { ca } })
  await session.prepare()
  expect(await session.write('a', 'x'.repeat(400_000))).toBe(true)
  expect(await session.textOf('a')).toHaveLength(400_000)
  await refuses(
    { url, tls: true },
    /cannot be used: self.signed certificate.*its authority's certificate: tls: \{ ca \}/,
  )
})

it('leads through a socket of this machine', async () => {
  const path = join(folder.path, 'memcached.sock')
  const server = createServer((socket) => {
    const upstream = connect({ host: memcached.host, port: memcached.port })
    socket.pipe(upstream).pipe(socket)
    for (const each of [socket, upstream]) each.on('error', () => undefined)
  })
  await using memcached = await startMemcached()
  server.listen(path)
  await once(server, 'listening')
  const session = open({ url: `memcached://${path}` })
  await session.prepare()
  expect(await session.write('a', 'x')).toBe(true)
  expect(session.storeName).toBe(`memcached at ${path}`)
  await session.close()
  server.close()
  await once(server, 'close')
})
