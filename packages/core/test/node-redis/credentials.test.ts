import {
  startCluster,
  startRedis,
  startSentinels,
  uniqueName,
  until,
  type RedisServer,
} from '@holdfast/testkit'
import type { RedisClient } from '../../src/index.js'
import { nodeRedis } from '../../src/node-redis/index.js'
import { useClients } from './support/clients.js'
import { versions } from './support/versions.js'

interface Credentials {
  readonly username: string
  readonly password: string
}

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

/** As tokens of a cloud's identity service come. */
class Tokens {
  readonly type = 'streaming-credentials-provider'
  readonly failures: string[] = []
  readonly listeners = new Set<(credentials: Credentials) => void>()

  constructor(private current: Credentials) {}

  subscribe(listener: {
    onNext: (credentials: Credentials) => void
  }): Promise<[Credentials, { dispose: () => void }]> {
    const { onNext } = listener
    this.listeners.add(onNext)
    return Promise.resolve([this.current, { dispose: () => this.listeners.delete(onNext) }])
  }

  onReAuthenticationError(error: Error): void {
    this.failures.push(error.message)
  }

  renew(credentials: Credentials): void {
    this.current = credentials
    for (const listener of this.listeners) listener(credentials)
  }
}

describe.each(versions)('credentials of node-redis $version', ({ createClient }) => {
  const clients = useClients()

  it('that a provider returns are asked for with each connection', async () => {
    await server.call(
      'ACL',
      'SETUSER',
      'asked',
      'reset',
      'on',
      '>secret',
      'allcommands',
      'allkeys',
      'allchannels',
    )
    const credentials = jest.fn(() => Promise.resolve({ username: 'asked', password: 'secret' }))
    const { host, port } = server
    const credentialsProvider = { type: 'async-credentials-provider' as const, credentials }
    const holdfast = clients.open(nodeRedis(createClient({ socket: { host, port }, credentialsProvider })))
    await holdfast.getLock(uniqueName('asked')).withLock(() => undefined)
    expect(credentials).toHaveBeenCalled()
    expect(String(await server.call('CLIENT', 'LIST'))).toMatch(/ name=holdfast:.* user=asked /)
  })

  it('that change are renewed on the connection for commands, and given up with it', async () => {
    const user = (...rules: string[]): Promise<unknown> =>
      server.call('ACL', 'SETUSER', 'renewed', 'on', 'allcommands', 'allkeys', 'allchannels', ...rules)
    await user('reset', 'on', '>first', 'allcommands', 'allkeys', 'allchannels')
    const tokens = new Tokens({ username: 'renewed', password: 'first' })
    const { host, port } = server
    const template = createClient({ socket: { host, port }, credentialsProvider: tokens })
    const { commands } = clients.connect(nodeRedis(template))
    await commands.call('PING')
    expect(tokens.listeners.size).toBe(1)
    tokens.renew({ username: 'renewed', password: 'unknown' })
    await until(() => tokens.failures.length > 0, { what: 'the refusal to be reported' })
    expect(tokens.failures[0]).toMatch(/^WRONGPASS/)
    await user('>second')
    tokens.renew({ username: 'renewed', password: 'second' })
    await commands.call('PING')
    expect(tokens.failures).toHaveLength(1)
    commands.disconnect()
    expect(tokens.listeners.size).toBe(0)
  })

  /**
   * Holds and waits while the password of the user is rotated, which ends all of its connections.
   *
   * @param isLate - whether the application learns the new password when a login has been rejected
   */
  async function rotate(servers: readonly RedisServer[], redis: RedisClient, isLate: boolean): Promise<void> {
    let password = 'first'
    let asked = 0
    const all = (...words: [string, ...string[]]) => Promise.all(servers.map((each) => each.call(...words)))
    await all('ACL', 'SETUSER', 'rotated', 'reset', 'on', '>first', '+@all', '~*', '&*')
    const credentials = () => {
      asked++
      return { username: 'rotated', password }
    }
    const holdfast = clients.open(redis, { credentials })
    const lost: unknown[] = []
    const errors: string[] = []
    holdfast.on('lost', (event) => lost.push(event)).on('error', ({ message }) => errors.push(message))
    const lock = holdfast.getLock(uniqueName('rotated'))
    const lease = await lock.lock()
    const waiting = lock.lock()
    await until(() => holdfast.stats().waiters === 1)
    const before = asked
    if (!isLate) password = 'second'
    await all('ACL', 'SETUSER', 'rotated', 'resetpass', '>second')
    await all('CLIENT', 'KILL', 'USER', 'rotated')
    await until(() => asked > before, { what: 'the password to be asked for' })
    if (isLate) {
      await until(() => errors.some((text) => text.includes('WRONGPASS')), { what: 'a rejected login' })
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      password = 'second'
    }
    await lease.unlock()
    await (await waiting).unlock()
    expect(lost).toEqual([])
  }

  it('that Holdfast gets from the application are asked for with each connection, to one server', () =>
    rotate([server], nodeRedis(createClient({ url: server.url })), true))

  it('and to the master that Sentinels name, but not to the Sentinels', async () => {
    const group = await startSentinels()
    clients.closeAfterTest(() => group.stop())
    const sentinelRootNodes = [...group.sentinels]
    await rotate(
      group.servers,
      nodeRedis.sentinel(createClient, { name: group.name, sentinelRootNodes }),
      true,
    )
  })

  it('and to the nodes of a Cluster', async () => {
    const cluster = await startCluster()
    clients.closeAfterTest(() => cluster.stop())
    const rootNodes = cluster.startupNodes.map((socket) => ({ socket }))
    await rotate(cluster.nodes, nodeRedis.cluster(createClient, { rootNodes }), false)
  })
})
