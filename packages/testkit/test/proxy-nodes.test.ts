import { once } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import {
  proxyNodes,
  startCluster,
  startIndependents,
  startSentinels,
  until,
  type ProxiedNodes,
  type RedisServer,
} from '../src/index.js'

jest.setTimeout(60_000)

/** Enough names that each master serves some. */
const keys = Array.from({ length: 12 }, (_, n) => `key-${String(n)}`)

/** How many clients of this name the server has. */
async function clientsNamed(server: RedisServer, name: string): Promise<number> {
  const list = String(await server.call('CLIENT', 'LIST'))
  return list.split('\n').filter((line) => line.includes(` name=${name} `)).length
}

/** The servers see this client only through the proxies: each of its connections is a proxied one. */
async function comesThrough(
  proxies: ProxiedNodes,
  servers: readonly RedisServer[],
  name: string,
): Promise<boolean> {
  const seen = await Promise.all(
    servers.map(async (server) => [await clientsNamed(server, name), proxies.proxyOf(server).connections]),
  )
  return seen.every(([named = 0, proxied = 0]) => named <= proxied) && seen.some(([named = 0]) => named > 0)
}

async function answersWithin(reply: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let answered = false
  reply.then(
    () => (answered = true),
    () => undefined,
  )
  return until(() => answered, { timeoutMs }).catch(() => false)
}

describe('single servers', () => {
  it('each has its own proxy, and all can be acted on at once', async () => {
    await using group = await startIndependents(2)
    await using proxies = await proxyNodes(group.servers)
    const clients = group.servers.map((server) => new Redis(proxies.urlOf(server)))
    try {
      await Promise.all(clients.map((client, n) => client.set('k', n)))
      await expect(Promise.all(group.servers.map((server) => server.call('GET', 'k')))).resolves.toEqual([
        '0',
        '1',
      ])
      expect(proxies.connections).toBe(2)
      await proxies.all((proxy) => {
        proxy.blackHole('both')
      })
      const pings = clients.map((client) => client.ping())
      const answers = pings.map((ping) => answersWithin(ping, 100))
      await expect(Promise.all(answers)).resolves.toEqual([false, false])
      await proxies.all((proxy) => {
        proxy.heal()
      })
      await expect(Promise.all(pings)).resolves.toEqual(['PONG', 'PONG'])
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('a server without a proxy is refused', async () => {
    await using group = await startIndependents(2)
    await using proxies = await proxyNodes(group.servers.slice(1))
    expect(() => proxies.urlOf({ host: '127.0.0.1', port: 1 })).toThrow('127.0.0.1:1')
    expect(proxies.proxies).toHaveLength(1)
  })
})

describe('a cluster', () => {
  it('its client stays on its proxies, also after a fail-over, and can be cut off alone', async () => {
    await using cluster = await startCluster({ replicas: 1 })
    await using proxies = await proxyNodes(cluster.nodes)
    const client = new Cluster([...proxies.startupNodes], {
      natMap: { ...proxies.natMap },
      redisOptions: { connectionName: 'linked' },
      // Nodes that have not heard of a fail-over yet send requests to each other.
      retryDelayOnMoved: 50,
    })
    client.on('error', () => undefined)
    const setAll = () => Promise.all(keys.map((key) => client.set(key, key)))
    try {
      await setAll()
      const masters = await Promise.all([0, 8_000, 16_000].map((slot) => cluster.masterOf(slot)))
      expect(masters.map((master) => proxies.proxyOf(master).connections > 0)).toEqual([true, true, true])
      await expect(comesThrough(proxies, cluster.nodes, 'linked')).resolves.toBe(true)

      await cluster.failover(0)
      await setAll()
      await expect(comesThrough(proxies, cluster.nodes, 'linked')).resolves.toBe(true)

      await proxies.all((proxy) => {
        proxy.blackHole('both')
      })
      const reply = client.get('key-0')
      await expect(answersWithin(reply, 200)).resolves.toBe(false)
      const server = await cluster.masterOf('key-0')
      await expect(server.call('GET', 'key-0')).resolves.toBe('key-0')
      await proxies.all((proxy) => {
        proxy.heal()
      })
      await expect(reply).resolves.toBe('key-0')
    } finally {
      client.disconnect()
    }
  })
})

describe('a Sentinel group', () => {
  it('its client stays on its proxies, also after a fail-over, and can be cut off alone', async () => {
    await using group = await startSentinels()
    await using proxies = await proxyNodes(group.servers)
    const client = new Redis({
      sentinels: [...group.sentinels],
      name: group.name,
      natMap: { ...proxies.natMap },
      connectionName: 'linked',
    })
    client.on('error', () => undefined)
    try {
      const before = await group.master()
      await client.set('k', 'v')
      expect(proxies.proxyOf(before).connections).toBe(1)
      await expect(comesThrough(proxies, group.servers, 'linked')).resolves.toBe(true)

      const moved = once(client, 'close')
      const after = await group.failover()
      await moved
      await client.set('k', 'w')
      await expect(after.call('GET', 'k')).resolves.toBe('w')
      expect(proxies.proxyOf(after).connections).toBe(1)
      await expect(comesThrough(proxies, group.servers, 'linked')).resolves.toBe(true)

      proxies.proxyOf(after).blackHole('both')
      const reply = client.get('k')
      await expect(answersWithin(reply, 200)).resolves.toBe(false)
      proxies.proxyOf(after).heal()
      await expect(reply).resolves.toBe('w')
    } finally {
      client.disconnect()
    }
  })
})
