import { HoldfastQuorum, RefusedError, ReplicationError, UnavailableError } from '../../src/index.js'
import { redisson } from '../../src/redis/redisson/index.js'
import {
  countCommands,
  isFullMatrix,
  makeCertificate,
  scratchFolder,
  startRedis,
  startReplica,
  uniqueName,
  type RedisServer,
} from '@holdfast/testkit'
import { RESP_TYPES } from 'redis'
import { nodeRedis } from '../../src/node-redis/index.js'
import { useClients } from './support/clients.js'
import { rejectionOf } from './support/rejection.js'
import { itWithTls } from './support/tls-nodes.js'
import { versions } from './support/versions.js'

let server: RedisServer
let name: string

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
beforeEach(() => {
  name = uniqueName('node-redis')
})

const databasesOf = async (clientId: string): Promise<(string | undefined)[]> => {
  const lines = String(await server.call('CLIENT', 'LIST')).split('\n')
  const ours = lines.filter((line) => line.includes(` name=holdfast:${clientId}`))
  return ours.map((line) => / db=(\d+)/.exec(line)?.[1])
}

describe.each(isFullMatrix ? versions : versions.slice(-1))(
  'a client of node-redis $version',
  ({ version, createClient }) => {
    const clients = useClients()

    it('serves as a template: it is neither connected nor closed, and one that is connected stays so', async () => {
      const idle = createClient({ url: server.url })
      const connected = createClient({ url: server.url, commandOptions: { timeout: undefined } })
      await connected.connect()
      clients.closeAfterTest(() => connected.close())
      for (const template of [idle, connected]) {
        const holdfast = clients.open(nodeRedis(template))
        await holdfast.getLock(name).withLock(() => undefined)
        await holdfast.close()
      }
      expect(idle.isOpen).toBe(false)
      expect(await connected.ping()).toBe('PONG')
    })

    it.each([
      ['a URL', () => createClient({ url: `${server.url}/3` }), '3'],
      ['options', () => createClient({ socket: { host: server.host, port: server.port }, database: 2 }), '2'],
      ['a URL with options', () => createClient({ url: `${server.url}/4`, socket: { noDelay: true } }), '4'],
    ])('has its database by %s', async (_by, make, database) => {
      const holdfast = clients.open(nodeRedis(make()))
      await holdfast.getLock(name).withLock(async () => {
        expect(await databasesOf(holdfast.clientId)).toContain(database)
        expect(new Set(await databasesOf(holdfast.clientId)).size).toBe(1)
      })
    })

    it('may have Buffers for replies, a map type and any RESP, time-outs and pings: locks do without them', async () => {
      const template = createClient({
        url: server.url,
        RESP: 3,
        name: 'application',
        pingInterval: 1,
        commandsQueueMaxLength: 1,
        disableOfflineQueue: false,
        commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.MAP]: Map } },
      })
      const [a, b] = [clients.open(nodeRedis(template), { label: 'a' }), clients.open(nodeRedis(template))]
      const held = await a.getLock(name).lock()
      const waiting = b.getLock(name).lock()
      expect((await b.getLock(name).inspect()).holder?.client?.label).toBe('a')
      await held.unlock()
      await (await waiting).unlock()
    })

    it('takes two commands for a cycle', async () => {
      const holdfast = clients.open(nodeRedis(createClient({ url: server.url })))
      const lock = holdfast.getLock(name)
      await lock.withLock(() => undefined)
      const { counts } = await countCommands(server.url, async () => {
        for (let i = 0; i < 20; i++) await lock.withLock(() => undefined)
        await Promise.all(Array.from({ length: 64 }, () => lock.withLock(() => undefined)))
      })
      const scripts = [...counts].filter(([command]) => command.startsWith('eval'))
      expect(scripts.reduce((sum, [, count]) => sum + count, 0) / 84).toBe(2)
    })

    it('reaches a Unix socket', async () => {
      const folder = await scratchFolder()
      const path = `${folder.path}/redis.sock`
      const other = await startRedis({ args: ['--unixsocket', path] })
      clients.closeAfterTest(async () => {
        await other.stop()
        await folder.remove()
      })
      const holdfast = clients.open(nodeRedis(createClient({ socket: { path, tls: false } })))
      await holdfast.getLock(name).withLock((lease) => expect(lease.isHeld).toBe(true))
    })

    it('waits for replicas', async () => {
      const replica = await startReplica(server)
      clients.closeAfterTest(() => replica.stop())
      const template = nodeRedis(createClient({ url: server.url }))
      const patient = clients.open(template, { minReplicas: 1, replicaTimeoutMs: 15_000 })
      await patient.getLock(name).withLock((lease) => expect(lease.isHeld).toBe(true))
      const hasty = clients.open(template, { minReplicas: 1, replicaTimeoutMs: 200 })
      await replica.freeze()
      await expect(hasty.getLock(name).lock()).rejects.toThrow(ReplicationError)
      await replica.thaw()
    })

    it('may be a master of a quorum', async () => {
      const others = await Promise.all([startRedis(), startRedis()])
      const masters = [server, ...others].map(({ url }) => nodeRedis(createClient({ url })))
      const quorum = new HoldfastQuorum({ masters, restartQuarantineMs: 0 })
      clients.closeAfterTest(async () => {
        await quorum.close()
        for (const other of others) await other.stop()
      })
      await others[1].kill()
      await quorum.getLock(name).withLock((lease) => expect(lease.isHeld).toBe(true))
    })

    it('shares locks with Redisson', async () => {
      const engine = redisson({ redis: nodeRedis(createClient({ url: server.url })) })
      const { Holdfast } = await import('../../src/index.js')
      const [a, b] = [new Holdfast({ engine }), new Holdfast({ engine })]
      clients.closeAfterTest(() => Promise.all([a.close(), b.close()]))
      const held = await a.getLock(name).lock()
      expect(await server.call('TYPE', name)).toBe('hash')
      const waiting = b.getLock(name).lock()
      await held.unlock()
      await (await waiting).unlock()
    })

    if (version === 6) {
      it('has its key prefix put before every key', async () => {
        const holdfast = clients.open(nodeRedis(createClient({ url: server.url, keyPrefix: 'app:' })))
        await holdfast.getLock(name).withLock(async () => {
          expect(await server.call('EXISTS', `app:lock:${name}`)).toBe(1)
        })
      })
    }
  },
)

describe.each(versions)('a client of node-redis $version that Redis refuses', ({ createClient }) => {
  const clients = useClients()

  const failureWith = (options: object): Promise<Error> =>
    rejectionOf(
      clients
        .open(nodeRedis(createClient(options)))
        .getLock(name)
        .tryLock(),
    )

  it('fails with what is wrong: password, database, permission', async () => {
    await server.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-evalsha')
    const { host, port, url } = server
    const wrong = await failureWith({ url: `redis://limited:wrong@${host}:${port}` })
    expect(wrong).toBeInstanceOf(RefusedError)
    expect(wrong.message).toMatch(/user name or password is wrong/)
    const database = await failureWith({ url: `${url}/99` })
    expect(database).toBeInstanceOf(RefusedError)
    expect(database.message).toMatch(/it has no such database: pass one below/)
    const limited = await failureWith({ socket: { host, port }, username: 'limited', password: 'secret' })
    expect(limited).toBeInstanceOf(RefusedError)
    expect(limited.message).toMatch(/NOPERM|evalsha/)
    expect(
      JSON.stringify([wrong, database, limited].map((error) => [error.message, error.cause])),
    ).not.toMatch(/secret|"wrong"/)
  })

  it('fails with the advice to pass a password, if it has none', async () => {
    const closed = await startRedis({ args: ['--requirepass', 'secret'] })
    clients.closeAfterTest(() => closed.stop())
    const { host, port } = closed
    const error = await failureWith({ socket: { host, port } })
    expect(error).toBeInstanceOf(RefusedError)
    expect(error.message).toMatch(/it needs a password/)
    const holdfast = clients.open(nodeRedis(createClient({ socket: { host, port }, password: 'secret' })))
    await holdfast.getLock(name).withLock((lease) => expect(lease.isHeld).toBe(true))
  })

  it('does without the permission to name its connections', async () => {
    await server.call('ACL', 'SETUSER', 'nameless', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-client')
    const { host, port } = server
    const template = createClient({ socket: { host, port }, username: 'nameless', password: 'secret' })
    await clients
      .open(nodeRedis(template))
      .getLock(name)
      .withLock((lease) => expect(lease.isHeld).toBe(true))
  })

  it('fails with the address where nothing listens', async () => {
    const error = await failureWith({ socket: { host: '127.0.0.1', port: 1 } })
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error.message).toMatch(/Redis at 127\.0\.0\.1:1 is unavailable: .*connect ECONNREFUSED/)
  })

  itWithTls('speaks TLS, and says which of the two sides does not', async () => {
    const folder = await scratchFolder()
    const { keyFile, certFile, ca } = makeCertificate(folder.path)
    const port = await import('@holdfast/testkit').then(({ freePort }) => freePort())
    const files = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile]
    const secure = await startRedis({
      args: ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files],
    })
    clients.closeAfterTest(async () => {
      await secure.stop()
      await folder.remove()
    })
    const template = createClient({ url: `rediss://127.0.0.1:${port}/5`, socket: { tls: true, ca } })
    const holdfast = clients.open(nodeRedis(template))
    await holdfast.getLock(name).withLock((lease) => expect(lease.isHeld).toBe(true))
    const plain = await failureWith({ url: `redis://127.0.0.1:${port}` })
    expect(plain.message).toMatch(/speaks TLS|closed the connection without a reply/)
    const tls = await failureWith({ url: `rediss://127.0.0.1:${secure.port}`, socket: { tls: true, ca } })
    expect(tls.message).toMatch(/no TLS connection has been established/)
    const untrusted = await failureWith({ url: `rediss://127.0.0.1:${port}`, socket: { tls: true } })
    expect(untrusted.message).toMatch(/is unavailable: (Error: )?self-signed certificate$/)
  })
})
