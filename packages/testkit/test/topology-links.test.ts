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

/** Enough of them that each master serves some. */
const keys = Array.from({ length: 12 }, (_, n) => `key-${String(n)}`)

/** How many clients of this name the server has. */
async function clientsNamed(server: RedisServer, name: string): Promise<number> {
  const list = String(await server.call('CLIENT', 'LIST'))
  return list.split('\n').filter((line) => line.includes(` name=${name} `)).length
}

/** All that servers know of the client comes through the links: each such connection is one of theirs. */
async function comesThrough(
  links: ProxiedNodes,
  servers: readonly RedisServer[],
  name: string,
): Promise<boolean> {
  const seen = await Promise.all(
    servers.map(async (server) => [await clientsNamed(server, name), links.proxyOf(server).connections]),
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
  it('each has a link of its own, and all can be acted on at once', async () => {
    await using group = await startIndependents(2)
    await using links = await proxyNodes(group.servers)
    const clients = group.servers.map((server) => new Redis(links.urlOf(server)))
    try {
      await Promise.all(clients.map((client, n) => client.set('k', n)))
      await expect(Promise.all(group.servers.map((server) => server.call('GET', 'k')))).resolves.toEqual([
        '0',
        '1',
      ])
      expect(links.connections).toBe(2)
      await links.all((proxy) => {
        proxy.blackHole('both')
      })
      const pings = clients.map((client) => client.ping())
      const answers = pings.map((ping) => answersWithin(ping, 100))
      await expect(Promise.all(answers)).resolves.toEqual([false, false])
      await links.all((proxy) => {
        proxy.heal()
      })
      await expect(Promise.all(pings)).resolves.toEqual(['PONG', 'PONG'])
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('a server without a link is refused', async () => {
    await using group = await startIndependents(2)
    await using links = await proxyNodes(group.servers.slice(1))
    expect(() => links.urlOf({ host: '127.0.0.1', port: 1 })).toThrow('127.0.0.1:1')
    expect(links.proxies).toHaveLength(1)
  })
})

describe('a cluster', () => {
  it('its client stays on its links, also after a fail-over, and can be cut off alone', async () => {
    await using cluster = await startCluster({ replicas: 1 })
    await using links = await proxyNodes(cluster.nodes)
    const client = new Cluster([...links.startupNodes], {
      natMap: { ...links.natMap },
      redisOptions: { connectionName: 'linked' },
    })
    client.on('error', () => undefined)
    const setAll = () => Promise.all(keys.map((key) => client.set(key, key)))
    try {
      await setAll()
      const masters = await Promise.all([0, 8_000, 16_000].map((slot) => cluster.masterOf(slot)))
      expect(masters.map((master) => links.proxyOf(master).connections > 0)).toEqual([true, true, true])
      await expect(comesThrough(links, cluster.nodes, 'linked')).resolves.toBe(true)

      await cluster.failover(0)
      await setAll()
      await expect(comesThrough(links, cluster.nodes, 'linked')).resolves.toBe(true)

      await links.all((proxy) => {
        proxy.blackHole('both')
      })
      const reply = client.get('key-0')
      await expect(answersWithin(reply, 200)).resolves.toBe(false)
      const server = await cluster.masterOf('key-0')
      await expect(server.call('GET', 'key-0')).resolves.toBe('key-0')
      await links.all((proxy) => {
        proxy.heal()
      })
      await expect(reply).resolves.toBe('key-0')
    } finally {
      client.disconnect()
    }
  })
})

describe('a Sentinel group', () => {
  it('its client stays on its links, also after a fail-over, and can be cut off alone', async () => {
    await using group = await startSentinels()
    await using links = await proxyNodes(group.servers)
    const client = new Redis({
      sentinels: [...group.sentinels],
      name: group.name,
      natMap: { ...links.natMap },
      connectionName: 'linked',
    })
    client.on('error', () => undefined)
    try {
      const before = await group.master()
      await client.set('k', 'v')
      expect(links.proxyOf(before).connections).toBe(1)
      await expect(comesThrough(links, group.servers, 'linked')).resolves.toBe(true)

      const moved = once(client, 'close')
      const after = await group.failover()
      await moved
      await client.set('k', 'w')
      await expect(after.call('GET', 'k')).resolves.toBe('w')
      expect(links.proxyOf(after).connections).toBe(1)
      await expect(comesThrough(links, group.servers, 'linked')).resolves.toBe(true)

      links.proxyOf(after).blackHole('both')
      const reply = client.get('k')
      await expect(answersWithin(reply, 200)).resolves.toBe(false)
      links.proxyOf(after).heal()
      await expect(reply).resolves.toBe('w')
    } finally {
      client.disconnect()
    }
  })
})
