import {
  nowMs,
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
import { enteredSince, overlaps, startHeavyWaiting } from './support/heavy-waiting.js'
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
  await expect(cutOff.getLock(name).tryLock({ waitMs: 200 })).rejects.toThrow(UnavailableError)
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

it('all of 60 waiters are served when the master is killed between hand-offs', async () => {
  const waiting = await startHeavyWaiting(new Redis(reachOf()), { options: reachOf() })
  await waiting.letGo()
  const killedAt = nowMs()
  await killMaster()
  const visits = await waiting.end()
  expect(visits).toHaveLength(waiting.callers)
  // What the replica did not know yet is lost; whoever held it is told.
  const ends = new Set(visits.map(({ end }) => end))
  expect([...ends].filter((end) => end !== 'done' && end !== 'LOCK_LOST')).toEqual([])
  expect(visits.filter(({ enteredAt }) => !(enteredAt > 0))).toEqual([])
  expect(enteredSince(visits, killedAt)).toBeGreaterThan(waiting.callers / 3)
})

it('no lock is held twice when a master dies whose replica knows the holds', async () => {
  // Longer than the failover, which no hold is to be lost to here.
  const waiting = await startHeavyWaiting(new Redis(reachOf()), { options: reachOf() }, 15_000)
  await untilReplicated(await group.master())
  await killMaster()
  await waiting.letGo()
  const visits = await waiting.end()
  expect(visits.map(({ end }) => end)).toEqual(visits.map(() => 'done'))
  expect(overlaps(visits)).toEqual([])
})
