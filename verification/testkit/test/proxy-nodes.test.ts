import { Redis } from 'ioredis'
import { proxyNodes, startIndependents, until } from '../src/index.js'

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
      await proxies.all((proxy) => proxy.blackHole('both'))
      const pings = clients.map((client) => client.ping())
      const answers = pings.map((ping) => answersWithin(ping, 100))
      await expect(Promise.all(answers)).resolves.toEqual([false, false])
      await proxies.all((proxy) => proxy.heal())
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
