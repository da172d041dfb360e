import { redisson } from '../../src/redis/redisson/index.js'
import { Holdfast, type RedisClient } from '../../src/index.js'
import {
  proxyNodes,
  startCluster,
  uniqueName,
  until,
  type RedisCluster,
  type RedisServer,
} from '@holdfast/testkit'
import calculateSlot from 'cluster-key-slot'
import { nodeRedis, type CreateClient } from '../../src/node-redis/index.js'
import { useClients } from './support/clients.js'
import { rejectionOf } from './support/rejection.js'
import { itWithTls, tlsNodes } from './support/tls-nodes.js'
import { versions } from './support/versions.js'

describe.each(versions)('a Cluster over node-redis $version', ({ createClient }) => {
  const clients = useClients()
  let cluster: RedisCluster
  let name: string

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 })
  }, 60_000)
  afterAll(() => cluster.stop())
  beforeEach(() => {
    name = uniqueName('cluster')
  })

  const template = (create: CreateClient = createClient): RedisClient =>
    nodeRedis.cluster(create, { rootNodes: cluster.startupNodes.map((socket) => ({ socket })) })

  it('a lock is at the node that has its slot, and createClient was called once for all of them', async () => {
    const create = jest.fn(createClient)
    const holdfast = clients.open(template(create))
    const names = Array.from({ length: 20 }, (_, i) => `${name}:${i}`)
    await Promise.all(
      names.map((each) =>
        holdfast.getLock(each).withLock(async () => {
          const home = await cluster.masterOf(`lock:${each}`)
          expect(await home.call('EXISTS', `lock:${each}`)).toBe(1)
        }),
      ),
    )
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('what is under way at a master that hands its slots over gets its reply', async () => {
    const proxies = await proxyNodes(cluster.nodes)
    clients.closeAfterTest(() => proxies.close())
    const rootNodes = proxies.startupNodes.map((socket) => ({ socket }))
    const nodeAddressMap = proxies.natMap
    const lock = clients.open(nodeRedis.cluster(createClient, { rootNodes, nodeAddressMap })).getLock(name)
    await lock.withLock(() => undefined)
    const home = await cluster.masterOf(`lock:${name}`)
    // So that replies are under way whenever the client learns of the new master.
    proxies.proxyOf(home).delay(50, { jitterMs: 100 })
    const done = new AbortController()
    let replies = 0
    const inspecting = Array.from({ length: 20 }, async () => {
      while (!done.signal.aborted) {
        await lock.inspect()
        replies++
      }
    })
    await until(() => replies > 20, { what: 'replies' })
    await cluster.failover(calculateSlot(`lock:${name}`))
    await cluster.whenStable()
    const before = replies
    await until(() => replies > before + 100, { what: 'replies of the new master' })
    done.abort()
    await Promise.all(inspecting)
  })

  /** Has its slot on the way from one master to another while the callback runs. */
  async function migrating(key: string, during: (to: RedisServer) => Promise<void>) {
    const slot = calculateSlot(key)
    const from = await cluster.masterOf(slot)
    const to = await cluster.masterOf((slot + 8_000) % 16_384)
    const [fromId, toId] = await Promise.all([from.call('CLUSTER', 'MYID'), to.call('CLUSTER', 'MYID')])
    await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId))
    await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId))
    await during(to)
    for (const server of [to, from]) await server.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(toId))
  }

  it('follows a slot that is being migrated, and one that has been', async () => {
    const { commands } = clients.connect(template())
    const set = (value: string): Promise<unknown> =>
      commands.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, name, value)
    await set('before')
    const home = await cluster.masterOf(name)
    await home.call('DEL', name)
    await migrating(name, async (to) => {
      expect(await set('during')).toBe('OK')
      expect(await to.call('CLUSTER', 'COUNTKEYSINSLOT', calculateSlot(name))).toBe(1)
    })
    expect(await set('after')).toBe('OK')
    const now = await cluster.masterOf(name)
    expect(now).not.toBe(home)
    expect(await now.call('GET', name)).toBe('after')
    await clients
      .open(template())
      .getLock(name)
      .withLock((lease) => expect(lease.isHeld).toBe(true))
  })

  it('shares locks with Redisson, whose releases come on sharded channels', async () => {
    const engine = redisson({ redis: template() })
    const [a, b] = [new Holdfast({ engine }), new Holdfast({ engine })]
    clients.closeAfterTest(() => Promise.all([a.close(), b.close()]))
    for (let i = 0; i < 3; i++) {
      const held = await a.getLock(`${name}:${i}`).lock()
      const waiting = b.getLock(`${name}:${i}`).lock()
      await until(async () => (await a.getLock(`${name}:${i}`).inspect()).waiterCount === 1, {
        what: 'a waiter',
      })
      await held.unlock()
      await (await waiting).unlock()
    }
  })

  itWithTls('is reached over TLS at each of its nodes', async () => {
    const secure = await tlsNodes(cluster.nodes)
    clients.closeAfterTest(() => secure.close())
    const over = (socket: object): RedisClient =>
      nodeRedis.cluster(createClient, {
        rootNodes: secure.addresses.map((address) => ({ socket: address })),
        defaults: { socket },
        nodeAddressMap: secure.addressMap,
      })
    const holdfast = clients.open(over({ tls: true, ca: secure.ca }))
    for (const each of ['a', 'b', 'c', 'd', 'e'])
      await holdfast.getLock(`${name}:${each}`).withLock((lease) => expect(lease.isHeld).toBe(true))
    const error = await rejectionOf(
      clients
        .open(over({ tls: true }))
        .getLock(name)
        .tryLock(),
    )
    expect(error.message).toContain('self-signed certificate')
  })
})

describe.each(versions)('no Cluster over node-redis $version', ({ createClient }) => {
  const clients = useClients()

  it('is where nothing listens: the error names each address', async () => {
    const rootNodes = [{ url: 'redis://127.0.0.1:1' }, { url: 'redis://127.0.0.1:2' }]
    const holdfast = clients.open(nodeRedis.cluster(createClient, { rootNodes }))
    const error = await rejectionOf(holdfast.getLock('a').tryLock())
    expect(error.message).toMatch(
      /Redis Cluster at 127\.0\.0\.1:1, 127\.0\.0\.1:2 .*could not connect \(127\.0\.0\.1:[12]\)/,
    )
  })
})
