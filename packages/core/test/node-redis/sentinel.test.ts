import type { RedisClient } from '../../src/index.js'
import { connectionLost } from '../../src/engine/index.js'
import { startSentinels, uniqueName, until, type RedisSentinels } from '@holdfast/testkit'
import { nodeRedis, type CreateClient } from '../../src/node-redis/index.js'
import { useClients } from './support/clients.js'
import { startMuteServer } from './support/mute-server.js'
import { rejectionOf } from './support/rejection.js'
import { itWithTls, tlsNodes } from './support/tls-nodes.js'
import { versions } from './support/versions.js'

describe.each(versions)('Sentinels over node-redis $version', ({ createClient }) => {
  const clients = useClients()
  let group: RedisSentinels
  let key: string

  beforeAll(async () => {
    group = await startSentinels()
  }, 60_000)
  afterAll(() => group.stop())
  beforeEach(() => {
    key = uniqueName('sentinel')
  })

  const template = (name = group.name, create: CreateClient = createClient): RedisClient =>
    nodeRedis.sentinel(create, {
      name,
      sentinelRootNodes: group.sentinels,
      nodeClientOptions: { database: 1 },
    })

  it('lead to the master and its database, with one call of createClient', async () => {
    const create = jest.fn(createClient)
    const holdfast = clients.open(template(group.name, create))
    await holdfast.getLock(key).withLock(async () => {
      const master = await group.master()
      expect(String(await master.call('CLIENT', 'LIST'))).toMatch(
        RegExp(`name=holdfast:${holdfast.clientId} .* db=1 `),
      )
    })
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('that know no such master are named in the error', async () => {
    const error = await rejectionOf(clients.open(template('other')).getLock(key).tryLock())
    expect(error.message).toMatch(
      /Redis master other of Sentinel at .*no such master is known \(127\.0\.0\.1:\d+\)/,
    )
  })

  it('that are servers of data instead are named with the advice to pass Sentinels', async () => {
    const [server] = group.servers
    if (!server) throw new Error('there is a master')
    const sentinelRootNodes = [{ host: server.host, port: server.port }]
    const redis = nodeRedis.sentinel(createClient, { name: group.name, sentinelRootNodes })
    const error = await rejectionOf(clients.open(redis).getLock(key).tryLock())
    expect(error.message).toMatch(
      /unknown command .*the addresses of `sentinels` must be those of Sentinel processes/i,
    )
  })

  it('of which the first is unresponsive lead to the master by way of the next', async () => {
    const [first] = group.sentinelServers
    if (!first) throw new Error('there are Sentinels')
    const { commands } = clients.connect(template(), 5_000)
    await first.freeze()
    try {
      expect(await commands.call('PING')).toBe('PONG')
    } finally {
      await first.thaw()
    }
  })

  it('that are unresponsive keep no socket open after the end', async () => {
    const mute = await startMuteServer()
    clients.closeAfterTest(() => mute.close())
    const options = { name: group.name, sentinelRootNodes: [mute, mute] }
    const { commands } = clients.connect(nodeRedis.sentinel(createClient, options))
    const failure = rejectionOf(commands.call('PING'))
    await until(() => mute.connections === 1, { what: 'a connection' })
    const ended = new Promise<void>((resolve) => commands.once('end', () => resolve()))
    commands.disconnect()
    await ended
    expect(await failure).toHaveProperty([connectionLost], true)
    await until(() => mute.connections === 0, { what: 'no connection', timeoutMs: 500 })
  })

  itWithTls('are reached over TLS, as is the master', async () => {
    const secure = await tlsNodes([...group.sentinels, ...group.servers])
    clients.closeAfterTest(() => secure.close())
    const over = (socket: object): RedisClient =>
      nodeRedis.sentinel(createClient, {
        name: group.name,
        sentinelRootNodes: secure.addresses.slice(0, group.sentinels.length),
        sentinelClientOptions: { socket },
        nodeClientOptions: { socket },
        nodeAddressMap: secure.addressMap,
      })
    const holdfast = clients.open(over({ tls: true, ca: secure.ca }))
    await holdfast.getLock(key).withLock((lease) => expect(lease.isHeld).toBe(true))
    const error = await rejectionOf(
      clients
        .open(over({ tls: true }))
        .getLock(key)
        .tryLock(),
    )
    expect(error.message).toContain('self-signed certificate')
  })
})
