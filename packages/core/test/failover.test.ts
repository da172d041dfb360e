import { proxyNodes, startCluster, uniqueName, type RedisCluster } from '@holdfast/testkit'
import { Cluster } from 'ioredis'
import { Holdfast, UnavailableError } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'

let cluster: RedisCluster
beforeEach(async () => {
  cluster = await startCluster({ replicas: 1 })
  closeAfterTest(() => cluster.stop())
})
afterEach(closeAll)

it('a client stays on the links of its template, also after a failover, and is cut off by them', async () => {
  const links = await proxyNodes(cluster.nodes)
  closeAfterTest(() => links.close())
  const redis = new Cluster([...links.startupNodes], { natMap: { ...links.natMap }, lazyConnect: true })
  const holdfast = new Holdfast({ redis })
  closeAfterTest(() => holdfast.close())
  const lock = holdfast.getLock(uniqueName('cluster'))
  const key = `lock:${lock.name}`

  /** Connections that the servers have of this client, and those of them that came through the links. */
  const seen = async () => {
    const lists = await Promise.all(cluster.nodes.map((node) => node.call('CLIENT', 'LIST')))
    return lists.map((list, n) => ({
      ours: String(list).split(holdfast.clientId).length - 1,
      linked: links.proxies[n]?.connections ?? 0,
    }))
  }
  const isOnLinks = async () => (await seen()).every(({ ours, linked }) => ours <= linked)

  await lock.withLock(() => undefined)
  expect(links.proxyOf(await cluster.masterOf(key)).connections).toBeGreaterThan(0)
  await expect(isOnLinks()).resolves.toBe(true)

  const after = await cluster.failover(key)
  await lock.withLock(() => undefined)
  expect(links.proxyOf(after).connections).toBeGreaterThan(0)
  await expect(isOnLinks()).resolves.toBe(true)

  await links.all((proxy) => proxy.blackHole('both'))
  // Longer than a command may take: a shorter wait may end before the silence is an outage.
  await expect(lock.tryLock({ waitMs: 6_000 })).rejects.toThrow(UnavailableError)
  await links.all((proxy) => proxy.heal())
  await expect(lock.withLock(() => 'in')).resolves.toBe('in')
})
