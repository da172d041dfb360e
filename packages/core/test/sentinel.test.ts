import {
  proxyNodes,
  startSentinels,
  until,
  uniqueName,
  withRedis,
  type RedisSentinels,
  type RedisServer,
} from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { UnavailableError } from '../src/index.js'
import { closeAfterTest, closeAll, openClient } from './support/clients.js'
import { connectionsOf } from './support/connections-of.js'
import { nextEvent } from './support/next-event.js'

let group: RedisSentinels
beforeEach(async () => {
  group = await startSentinels()
  closeAfterTest(() => group.stop())
})
afterEach(closeAll)

const reachOf = (options: object = {}) => ({
  sentinels: [...group.sentinels],
  name: group.name,
  lazyConnect: true,
  ...options,
})

/** Resolves when a replica knows all that was written before. */
const untilReplicated = (master: RedisServer) =>
  withRedis(master.url, async (redis) => {
    await redis.set('mark', '1')
    await until(async () => (await redis.wait(1, 1_000)) === 1)
  })

async function killMaster(): Promise<void> {
  const master = await group.master()
  await master.kill()
  await until(async () => (await group.master()) !== master, { what: 'another master' })
}

it.each([
  { version: 6, make: (options: object) => new Redis(reachOf(options)) },
  { version: 5, make: (options: object) => new Redis5(reachOf(options)) },
])(
  'with ioredis $version both connections follow the master, on the links of the template',
  async ({ make }) => {
    const links = await proxyNodes(group.servers)
    closeAfterTest(() => links.close())
    const holdfast = openClient(make({ natMap: { ...links.natMap } }), { watchdogTimeoutMs: 1_500 })
    const lock = holdfast.getLock(uniqueName('sentinel'))
    await lock.withLock(() => undefined)
    const before = await group.master()
    expect(links.proxyOf(before).connections).toBe(2)
    await expect(connectionsOf(before, holdfast.clientId)).resolves.toHaveLength(2)

    await killMaster()
    const after = await group.master()
    await lock.withLock(() => undefined)
    await until(async () => (await connectionsOf(after, holdfast.clientId)).length === 2, {
      what: 'both on the new master',
    })
    expect(links.proxyOf(after).connections).toBe(2)
  },
)

it('a wait for a master that no Sentinel knows says so', async () => {
  const lock = openClient(new Redis(reachOf({ name: 'other' }))).getLock(uniqueName('sentinel'))
  const error = await lock.lock({ waitMs: 3_000 }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnavailableError)
  expect(String(error)).toMatch(/Redis master other of Sentinel at .* is unavailable: .*no such master/i)
})

it('a client is cut off by its own links, while others go on', async () => {
  const links = await proxyNodes(group.servers)
  closeAfterTest(() => links.close())
  const cutOff = openClient(new Redis(reachOf({ natMap: { ...links.natMap } })))
  const other = openClient(new Redis(reachOf()))
  const name = uniqueName('sentinel')
  for (const holdfast of [cutOff, other]) await holdfast.getLock(name).withLock(() => undefined)
  await links.all((proxy) => proxy.blackHole('both'))
  await expect(cutOff.getLock(name).tryLock({ waitMs: 6_000 })).rejects.toThrow(UnavailableError)
  await links.all((proxy) => proxy.heal())
  await expect(other.getLock(name).withLock(() => 'in')).resolves.toBe('in')
  await expect(cutOff.getLock(name).withLock(() => 'in')).resolves.toBe('in')
})

it('a hold that the replica knows outlives the master, and its watchdog goes on', async () => {
  const holdfast = openClient(new Redis(reachOf()), { watchdogTimeoutMs: 15_000 })
  const lock = holdfast.getLock(uniqueName('sentinel'))
  const lease = await lock.lock()
  const rival = openClient(new Redis(reachOf())).getLock(lock.name)
  await expect(rival.tryLock()).resolves.toBeNull()
  await untilReplicated(await group.master())
  const renewed = nextEvent(holdfast, 'renewed')
  await killMaster()
  await renewed
  expect(lease.isHeld).toBe(true)
  await until(() => rival.isLocked().catch(() => false), { what: 'the rival to have found the new master' })
  await expect(rival.tryLock({ waitMs: 2_000 })).resolves.toBeNull()
  await lease.unlock()
  await rival.withLock(({ fencingToken }) => expect(fencingToken).toBeGreaterThan(lease.fencingToken))
})
