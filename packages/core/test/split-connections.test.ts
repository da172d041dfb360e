import { nodeRedis } from '../src/node-redis/index.js'
import { startReplica, startRedis, startProxy, until, uniqueName } from '@holdfast/testkit'
import type { FaultProxy, RedisServer } from '@holdfast/testkit'
import { Redis as Redis5 } from 'ioredis5'
import { createClient } from 'redis5'
import { RefusedError, type Holdfast, type HoldfastOptions } from '../src/index.js'
import { closeAfterTest, closeAll, openClient, openRedisClient, useOnce } from './support/clients.js'
import { connectionsOf } from './support/connections-of.js'
import { LockInRedis } from './support/lock-in-redis.js'

/** One address that leads to a master or to its replica: each connection stays at the server to which it was made. */
let master: RedisServer
let replica: RedisServer
let address: FaultProxy
/** Where connections go that are made from now on: to one after the other, and then to the last of them. */
let ways: RedisServer[]

beforeEach(async () => {
  master = await startRedis()
  closeAfterTest(() => master.stop())
  replica = await startReplica(master)
  closeAfterTest(() => replica.stop())
  ways = [master]
  address = await startProxy({
    host: '127.0.0.1',
    get port() {
      const [next = master] = ways
      if (ways.length > 1) ways.shift()
      return next.port
    },
  })
  closeAfterTest(() => address.close())
})
afterEach(closeAll)

/** `FAILOVER` itself takes up to two seconds, during which nothing is written. */
const options = { watchdogTimeoutMs: 4_500 }

async function open(redis: HoldfastOptions['redis'] = address.url) {
  const holdfast = openClient(redis, options)
  await useOnce(holdfast)
  await until(async () => (await connectionsOf(master, holdfast.clientId)).length === 2)
  return holdfast
}

/** The replica becomes the master, and the master its replica; open connections stay. */
async function failOver(): Promise<void> {
  ways = [replica]
  // The master takes a moment to know that its replica is online.
  await until(
    () =>
      master.call('FAILOVER', 'TO', replica.host, replica.port).then(
        () => true,
        () => false,
      ),
    {
      what: 'the failover to begin',
    },
  )
  await until(async () => /^role:master/m.test(String(await replica.call('INFO', 'replication'))), {
    what: 'the replica to be the master',
  })
}

describe.each([
  { name: 'ioredis 6', make: () => address.url },
  { name: 'ioredis 5', make: () => new Redis5(address.url, { lazyConnect: true }) },
  { name: 'node-redis 5', make: () => nodeRedis(createClient({ url: address.url })) },
])('after an address has moved to a promoted replica, with $name', ({ make }) => {
  it('a waiter whose subscriber stayed behind enters only with a hold that stands', async () => {
    const [holder, waiter, rival] = [await open(), await open(make()), await open()]
    const name = uniqueName('moved')
    const inRedis = new LockInRedis(openRedisClient(replica.url), name)
    const held = await holder.getLock(name).lock()
    const waiting = waiter.getLock(name).lock()
    await inRedis.untilQueued(1)
    await failOver()
    await held.unlock()
    const lease = await waiting
    expect(await inRedis.holder()).toBe(lease.owner)
    expect(await rival.getLock(name).tryLock()).toBeNull()
    await lease.unlock()
  })

  it('notifications and commands of a client go there together', async () => {
    const client = await open(make())
    const lock = client.getLock(uniqueName('moved'))
    const lease = await lock.lock()
    await failOver()
    await until(async () => (await connectionsOf(replica, client.clientId)).length === 2, {
      what: 'both connections at the new master',
    })
    expect(await connectionsOf(master, client.clientId)).toEqual([])
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
  })
})

async function moveSubscriber(client: Holdfast, ...to: RedisServer[]): Promise<void> {
  ways = to
  const subscriber = (await connectionsOf(master, client.clientId)).find(({ line }) =>
    line.includes(' sub=1 '),
  )
  await master.call('CLIENT', 'KILL', 'ID', subscriber?.id ?? '')
}

it('a subscriber that a balancer leads to the replica is replaced until it is at the master', async () => {
  const [holder, waiter] = [await open(), await open()]
  const name = uniqueName('balanced')
  const inRedis = new LockInRedis(openRedisClient(master.url), name)
  const held = await holder.getLock(name).lock()
  const waiting = waiter.getLock(name).lock()
  await inRedis.untilQueued(1)
  await moveSubscriber(waiter, replica, replica, master)
  await until(() => ways.length === 1 && ways[0] === master, { what: 'the third connection' })
  await held.unlock()
  await (await waiting).unlock()
  expect(await connectionsOf(replica, waiter.clientId)).toEqual([])
})

it('an address that leads commands and notifications to different servers is a warning, and then a refusal', async () => {
  const client = await open()
  const warnings: string[] = []
  client.on('warning', ({ code }) => warnings.push(code))
  await moveSubscriber(client, replica)
  const lock = client.getLock(uniqueName('split'))
  const held = await lock.lock()
  await until(async () => (await connectionsOf(replica, client.clientId)).length > 0)
  const error: unknown = await lock.lock().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RefusedError)
  expect(String(error)).toContain('have it lead to the master alone, or pass the Sentinels')
  expect(warnings).toEqual(['SPLIT_CONNECTIONS'])
  await held.unlock()
  await (await lock.tryLock())?.unlock()
})

it('a client that was led to the replica at first works once the address leads to the master', async () => {
  ways = [replica]
  const client = openClient(address.url, options)
  const lock = client.getLock(uniqueName('late'))
  expect(await lock.tryLock().catch(String)).toContain('the Redis server is a replica')
  ways = [master]
  const isHeld = async (): Promise<boolean> =>
    lock.tryLock().then(
      (lease) => lease !== null,
      () => false,
    )
  await until(isHeld, { what: 'a hold at the master' })
})
