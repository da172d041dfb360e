import { Redis } from 'ioredis'
import { processExists, startSentinels, until, type RedisSentinels } from '../src/index.js'

let group: RedisSentinels
beforeAll(async () => {
  group = await startSentinels({ replicas: 2 })
})
afterAll(() => group.stop())
afterEach(async () => {
  for (const server of group.servers) if (server.pid === null) await server.restart()
  await group.whenStable()
})

async function throughSentinels<T>(use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({ sentinels: [...group.sentinels], name: group.name })
  redis.on('error', () => undefined)
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}

it('a client finds the master by asking the sentinels', async () => {
  expect([group.sentinels.length, group.servers.length]).toEqual([3, 3])
  const runId = await throughSentinels(async (redis) => /run_id:(\w+)/.exec(await redis.info('server'))?.[1])
  await expect((await group.master()).runId()).resolves.toBe(runId)
})

it('a forced failover makes a replica the master, and the others follow it', async () => {
  const before = await group.master()
  const after = await group.failover()
  expect(after).not.toBe(before)
  await expect(group.master()).resolves.toBe(after)
  await after.call('SET', 'k', 'v')
  await expect(before.call('SET', 'k', 'w')).rejects.toThrow('READONLY')
  await until(async () => (await before.call('GET', 'k')) === 'v')
})

it('a master that is killed is replaced, and becomes a replica when it comes back', async () => {
  const before = await group.master()
  await throughSentinels(async (redis) => {
    await redis.set('k', 'before')
    await before.kill()
    await until(async () => (await group.master()) !== before, {
      what: 'another master',
    })
    await expect(redis.set('k', 'after')).resolves.toBe('OK')
  })
  await before.restart()
  await group.whenStable()
  await expect(before.call('GET', 'k')).resolves.toBe('after')
  await expect(before.call('SET', 'k', 'w')).rejects.toThrow('READONLY')
})

it('a frozen master is replaced, and becomes a replica when it is thawed', async () => {
  const before = await group.master()
  await before.freeze()
  await until(async () => (await group.master()) !== before, { what: 'another master' })
  await before.thaw()
  await group.whenStable()
  await expect(before.call('SET', 'k', 'w')).rejects.toThrow('READONLY')
})

it('two of three sentinels are enough, and the third catches up', async () => {
  const [absent] = group.sentinelServers
  if (!absent) throw new Error('no sentinel')
  await absent.kill()
  const after = await group.failover()
  // It reads the group from its file.
  await absent.restart()
  await group.whenStable()
  await expect(absent.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group.name)).resolves.toEqual([
    after.host,
    String(after.port),
  ])
})

it('no process outlives stop', async () => {
  const other = await startSentinels()
  const pids = [...other.servers, ...other.sentinelServers].map(({ pid }) => Number(pid))
  expect(pids).toHaveLength(5)
  await other.stop()
  await other.stop()
  await expect(Promise.all(pids.map(processExists))).resolves.toEqual(pids.map(() => false))
})
