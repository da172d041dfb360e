import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePort, startRedis, uniqueName, until, withRedis, type RedisServer } from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { RefusedError, UnavailableError, type RedisSource } from '../src/index.js'
import { closeAfterTest, closeAll, openClient, type ClientOptions } from './support/clients.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
/** ioredis copies what it is given, and would miss what is inherited. */
const here = (): Address => ({ host: server.host, port: server.port })

afterEach(closeAll)

interface Address {
  readonly host: string
  readonly port: number
}

/** What an unlimited wait rejects with; the test times out if it waits. */
async function refusalOf(redis: RedisSource): Promise<unknown> {
  const lock = openClient(redis, { commandTimeoutMs: 60_000 }).getLock(uniqueName('diagnosis'))
  return lock.lock().catch((error: unknown) => error)
}

/** What a wait rejects with that ends while Redis cannot be reached. */
async function failureOf(redis: RedisSource, options: ClientOptions = {}): Promise<unknown> {
  const lock = openClient(redis, options).getLock(uniqueName('diagnosis'))
  return lock.lock({ waitMs: 700 }).catch((error: unknown) => error)
}

/** What a single attempt rejects with. */
async function attemptOf(redis: RedisSource): Promise<unknown> {
  const lock = openClient(redis, { commandTimeoutMs: 700 }).getLock(uniqueName('diagnosis'))
  return lock.tryLock().catch((error: unknown) => error)
}

/** What a single attempt rejects with at once; the test times out if it waits for as long as a command may take. */
async function attemptWithoutWaitOf(redis: RedisSource): Promise<unknown> {
  const lock = openClient(redis, { commandTimeoutMs: 60_000 }).getLock(uniqueName('diagnosis'))
  return lock.tryLock().catch((error: unknown) => error)
}

function expectError(
  error: unknown,
  type: typeof RefusedError | typeof UnavailableError,
  text: RegExp,
): void {
  expect(error).toBeInstanceOf(type)
  expect(String(error)).toMatch(text)
  expect(error).toHaveProperty('engine', 'redis')
  expect(error).toHaveProperty('cause', expect.any(Error))
}

const noServer = async (): Promise<Address> => ({ host: '127.0.0.1', port: await freePort() })
const at = ({ host, port }: Address): string => `${host}:${port}`

/** A server whose default user has a password, and a URL that lacks it. */
async function guardedServer(): Promise<RedisServer> {
  const guarded = await startRedis()
  closeAfterTest(() => guarded.stop())
  await withRedis(guarded.url, (redis) => redis.acl('SETUSER', 'default', 'resetpass', '>secret'))
  return guarded
}

const lazyConnect = true

describe.each([
  { version: 6, makeCluster: (...args: ConstructorParameters<typeof Cluster>) => new Cluster(...args) },
  { version: 5, makeCluster: (...args: ConstructorParameters<typeof Cluster5>) => new Cluster5(...args) },
])('a Cluster of ioredis $version', ({ makeCluster }) => {
  it('is refused at once by a stand-alone server, and the error says what to use', async () => {
    const error = await refusalOf(makeCluster([here()], { lazyConnect }))
    expectError(error, RefusedError, /cluster support disabled/)
    expectError(error, RefusedError, /use Redis instead of Cluster/)
    expect(String(error)).toContain(at(server))
  })

  it('is refused at once without the password', async () => {
    const guarded = await guardedServer()
    expectError(await refusalOf(makeCluster([guarded], { lazyConnect })), RefusedError, /NOAUTH/)
  })

  it('reports no unknown server when it is refused', async () => {
    const holdfast = openClient(makeCluster([here()], { lazyConnect }))
    const warnings: unknown[] = []
    holdfast.on('warning', (warning) => warnings.push(warning))
    await expect(holdfast.getLock(uniqueName('diagnosis')).lock()).rejects.toBeInstanceOf(RefusedError)
    expect(warnings).toEqual([])
  })

  it('says which node cannot be reached', async () => {
    const node = await noServer()
    const reached = RegExp(`could not connect \\(${at(node)}\\)`)
    expectError(await failureOf(makeCluster([node], { lazyConnect })), UnavailableError, reached)
    expectError(await attemptOf(makeCluster([node], { lazyConnect })), UnavailableError, reached)
  })

  it('says at once that no node can be reached, and a wait outlives that', async () => {
    const nodes = [await noServer(), await noServer()]
    const either = nodes.map((node) => `could not connect \\(${at(node)}\\)`).join('|')
    const reached = RegExp(`is unavailable: (${either}); (${either})`)
    const cluster = makeCluster(nodes, { lazyConnect })
    expectError(await attemptWithoutWaitOf(cluster), UnavailableError, reached)
    expectError(await failureOf(cluster), UnavailableError, /within \d+ ms for lock .*could not connect/)
  })

  it('waits while one node cannot be reached, though another one is of no use', async () => {
    const cluster = makeCluster([await noServer(), here()], { lazyConnect })
    expectError(await failureOf(cluster), UnavailableError, /could not connect.*/)
  })

  it('says that its host is unknown', async () => {
    const dnsLookup = (host: string, done: (error: NodeJS.ErrnoException, address: string) => void) =>
      done(new Error(`getaddrinfo ENOTFOUND ${host}`), '')
    const cluster = makeCluster([{ host: 'redis.invalid', port: 7000 }], { lazyConnect, dnsLookup })
    expectError(await failureOf(cluster), UnavailableError, /getaddrinfo ENOTFOUND redis\.invalid/)
  })

  it('says that the cluster is not ready', async () => {
    const alone = await startRedis({ args: ['--cluster-enabled', 'yes'] })
    closeAfterTest(() => alone.stop())
    expectError(
      await failureOf(makeCluster([alone], { lazyConnect })),
      UnavailableError,
      /cluster is not ready/,
    )
  })
})

describe.each([
  { version: 6, makeRedis: (options: object) => new Redis({ ...options, lazyConnect }) },
  { version: 5, makeRedis: (options: object) => new Redis5({ ...options, lazyConnect }) },
])('a Redis of ioredis $version', ({ makeRedis }) => {
  const reachBy = (...sentinels: Address[]) => makeRedis({ sentinels, name: 'main' })

  it('is refused at once by Sentinels that are Redis servers, and the error says so', async () => {
    const error = await refusalOf(reachBy(here()))
    expectError(error, RefusedError, /unknown command .sentinel/i)
    expectError(error, RefusedError, /must be those of Sentinel processes/)
    expect(String(error)).toContain(at(server))
  })

  it('says which Sentinel cannot be reached', async () => {
    const sentinel = await noServer()
    const reached = RegExp(`could not connect \\(${at(sentinel)}\\)`)
    expectError(await failureOf(reachBy(sentinel)), UnavailableError, reached)
    expectError(await attemptOf(reachBy(sentinel)), UnavailableError, reached)
  })

  it('says at once that no Sentinel can be reached, and a wait outlives that', async () => {
    const sentinels = [await noServer(), await noServer()]
    const either = sentinels.map((sentinel) => `could not connect \\(${at(sentinel)}\\)`).join('|')
    const reached = RegExp(`is unavailable: (${either}); (${either})`)
    expectError(await attemptWithoutWaitOf(reachBy(...sentinels)), UnavailableError, reached)
    const failure = await failureOf(reachBy(...sentinels))
    expectError(failure, UnavailableError, /within \d+ ms for lock .*could not connect/)
  })

  it('goes on looking for Sentinels when its template would give up', async () => {
    const sentinel = await noServer()
    const template = makeRedis({ sentinels: [sentinel], name: 'main', sentinelRetryStrategy: () => null })
    const lock = openClient(template).getLock(uniqueName('diagnosis'))
    for (const attempt of [1, 2]) {
      const error = await lock.lock({ waitMs: 300 * attempt }).catch((thrown: unknown) => thrown)
      expectError(error, UnavailableError, /could not connect/)
    }
  })

  it('says where no server listens', async () => {
    const address = await noServer()
    const refused = RegExp(`Redis at ${at(address)} is unavailable: .*connect ECONNREFUSED ${at(address)}`)
    expectError(await failureOf(makeRedis(address)), UnavailableError, refused)
    expectError(await attemptOf(makeRedis(address)), UnavailableError, refused)
  })

  it('says that its host is unknown', async () => {
    const error = await attemptOf(makeRedis({ host: 'redis.invalid', port: 7000 }))
    expectError(error, UnavailableError, /getaddrinfo \w+ redis\.invalid/)
  })

  it('says that its server may not speak TLS, whichever limit ends the call', async () => {
    const { host, port } = server
    const hint = /no TLS connection has been established; if this server does not speak TLS, begin the URL/
    const template = makeRedis({ host, port, tls: {} })
    // Ends before the command does, so no error is known yet.
    expect(String(await failureOf(template))).toMatch(hint)
    expect(String(await attemptOf(template))).toMatch(hint)
    expect(String(await failureOf(template, { commandTimeoutMs: 300 }))).toMatch(hint)
  })

  it.each(['reset', 'end'] as const)('says that what replies with a %s may not be Redis', async (how) => {
    const other = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        if (how === 'reset') socket.resetAndDestroy()
        else socket.end()
      })
    })
    const address = await noServer()
    other.listen(address.port, address.host)
    await once(other, 'listening')
    closeAfterTest(async () => {
      other.close()
      await once(other, 'close')
    })
    const template = makeRedis(address)
    const hint =
      /closed the connection without a reply, as a Redis does that has reached its maxclients: .*check that host and port are those of Redis/
    expectError(await failureOf(template), UnavailableError, hint)
    expectError(await attemptOf(template), UnavailableError, hint)
  })

  it('says first that Redis has reached its maxclients, and continues when there is room', async () => {
    const full = await startRedis()
    closeAfterTest(() => full.stop())
    const others = new Redis(full.url)
    await others.config('SET', 'maxclients', 1)
    const holdfast = openClient(full.url)
    const errors: string[] = []
    holdfast.on('error', ({ message }) => errors.push(message))
    const waiting = holdfast.getLock('a').withLock(() => 'in')
    const isFirst = /is unavailable: [^:;]*reached its maxclients: raise that/
    await until(() => errors.some((message) => isFirst.test(message)))
    await others.config('SET', 'maxclients', 100)
    await expect(waiting).resolves.toBe('in')
    others.disconnect()
  })

  it('does not doubt a server that has replied before', async () => {
    const leaving = await startRedis()
    closeAfterTest(() => leaving.stop())
    const lock = openClient(makeRedis({ host: leaving.host, port: leaving.port })).getLock('a')
    await lock.withLock(() => undefined)
    await leaving.freeze()
    const unanswered = lock.isLocked().catch((thrown: unknown) => thrown)
    await leaving.kill()
    expect(String(await unanswered)).toMatch(/^(?!.*check that host and port).*is unavailable/)
  })

  it('says when the check began that a call shares with an earlier one', async () => {
    const frozen = await startRedis()
    closeAfterTest(() => frozen.stop())
    await frozen.freeze()
    const template = makeRedis({ host: frozen.host, port: frozen.port })
    const lock = openClient(template, { commandTimeoutMs: 1_500 }).getLock('a')
    await lock.lock({ waitMs: 200 }).catch(() => undefined)
    const error = await lock.isLocked().catch((thrown: unknown) => thrown)
    await frozen.thaw()
    // The handshake and the command have the same limit.
    const text =
      /(did not reply|nothing has come back) within 1500 ms.*; the check of the store .* began \d+ ms before this call/
    expect(String(error)).toMatch(text)
  })

  it('says how long and at which address a connected server did not reply', async () => {
    const frozen = await startRedis()
    closeAfterTest(() => frozen.stop())
    const holdfast = openClient(makeRedis({ host: frozen.host, port: frozen.port }), {
      commandTimeoutMs: 300,
    })
    const lock = holdfast.getLock(uniqueName('diagnosis'))
    await lock.withLock(() => undefined)
    await frozen.freeze()
    const error = await lock.isLocked().catch((thrown: unknown) => thrown)
    const waited = await lock.lock({ waitMs: 1_000 }).catch((thrown: unknown) => thrown)
    await frozen.thaw()
    expect(String(error)).toContain(`Redis at ${at(frozen)} did not reply within 300 ms`)
    expect(String(waited)).toMatch(RegExp(`Redis at ${at(frozen)} .*within \\d+ ms`))
  })
})
