import { nowMs, proxyNodes, startCluster, until, uniqueName, type RedisCluster } from '@holdfast/testkit'
import { Cluster } from 'ioredis'
import { Holdfast, UnavailableError } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import { enteredSince, overlaps, startHeavyWaiting, tokensGrow } from './support/heavy-waiting.js'

let cluster: RedisCluster
beforeEach(async () => {
  cluster = await startCluster({ replicas: 1 })
  closeAfterTest(() => cluster.stop())
})
afterEach(closeAll)

const template = () => new Cluster([...cluster.startupNodes], { lazyConnect: true })

const startWaiting = () => startHeavyWaiting(template(), { nodes: cluster.startupNodes, options: {} })

async function killMasterOf(key: string): Promise<void> {
  const master = await cluster.masterOf(key)
  const replica = await cluster.replicaOf(key)
  await master.kill()
  await until(async () => (await cluster.masterOf(key)) === replica, {
    what: 'the replica to take over',
  })
}

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
  await expect(lock.tryLock({ waitMs: 200 })).rejects.toThrow(UnavailableError)
  await links.all((proxy) => proxy.heal())
  await expect(lock.withLock(() => 'in')).resolves.toBe('in')
})

it('all of 60 waiters are served, one at a time, when a replica takes over in good order', async () => {
  const waiting = await startWaiting()
  await waiting.letGo()
  const orderedAt = nowMs()
  await cluster.failover(`lock:${waiting.names[0] ?? ''}`)
  const visits = await waiting.end()
  expect(visits).toHaveLength(waiting.callers)
  expect(visits.map(({ end }) => end)).toEqual(visits.map(() => 'done'))
  expect(enteredSince(visits, orderedAt)).toBeGreaterThan(waiting.callers / 3)
  expect(overlaps(visits)).toEqual([])
  expect(tokensGrow(visits)).toBe(true)
})

it('all of 60 waiters are served when the master is killed between hand-offs', async () => {
  const waiting = await startWaiting()
  await waiting.letGo()
  const killedAt = nowMs()
  await killMasterOf(`lock:${waiting.names[0] ?? ''}`)
  const visits = await waiting.end()
  expect(visits).toHaveLength(waiting.callers)
  // What the replica did not know yet is lost; whoever held it is told.
  const ends = new Set(visits.map(({ end }) => end))
  expect([...ends].filter((end) => end !== 'done' && end !== 'LOCK_LOST')).toEqual([])
  expect(visits.filter(({ enteredAt }) => !(enteredAt > 0))).toEqual([])
  expect(enteredSince(visits, killedAt)).toBeGreaterThan(waiting.callers / 3)
})
