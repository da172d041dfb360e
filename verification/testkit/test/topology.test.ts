import { Cluster } from 'ioredis'
import { startCluster, until } from '../src/index.js'

it('a cluster of masters serves all slots to a cluster client', async () => {
  await using cluster = await startCluster()
  expect(cluster.nodes).toHaveLength(3)
  const client = new Cluster([...cluster.startupNodes])
  try {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await client.set(key, key)
    const server = await cluster.masterOf('a')
    await expect(server.call('GET', 'a')).resolves.toBe('a')
    const slot = Number(await server.call('CLUSTER', 'KEYSLOT', 'a'))
    await expect(cluster.masterOf(slot)).resolves.toBe(server)
  } finally {
    client.disconnect()
  }
})

it('a replica in a cluster takes over in an orderly failover, and after a crash', async () => {
  await using cluster = await startCluster({ replicas: 1 })
  expect(cluster.nodes).toHaveLength(6)
  const before = await cluster.masterOf('a')
  const replica = await cluster.replicaOf('a')
  const after = await cluster.failover('a')
  expect(after).toBe(replica)
  await expect(cluster.masterOf('a')).resolves.toBe(replica)
  await expect(cluster.replicaOf('a')).resolves.toBe(before)
  await after.kill()
  await until(async () => (await cluster.masterOf('a')) === before, {
    what: 'the replica to be promoted',
  })
})
