import { countCommands, killClients, until, uniqueName, soon } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Holdfast, HoldfastEvents, Lock } from '../src/index.js'
import {
  closeAll,
  openClient,
  openReadyClient,
  openRedisClient,
  type ClientOptions,
  useOnce,
} from './support/clients.js'
import { openShared } from './support/open-shared.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { queueUp } from './support/queue-up.js'
import { makeRedisUser } from './support/redis-user.js'
import { forkClient } from './support/remote-client.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string
let inRedis: LockInRedis

beforeEach(async () => {
  redis = openRedisClient(server.url)
  name = uniqueName('waiting')
  inRedis = new LockInRedis(redis, name)
  await loadScripts(redis)
})
afterEach(closeAll)

interface Client {
  readonly holdfast: Holdfast
  readonly lock: Lock
}

/** A client whose inbox is heard and whose first-use checks are done. */
async function openSubscribed(options: ClientOptions = {}, url = server.url): Promise<Client> {
  const holdfast = await openReadyClient(url, options)
  await until(() => isHeard(holdfast.clientId), { what: 'the inbox to be heard' })
  return { holdfast, lock: holdfast.getLock(name) }
}

async function isHeard(clientId: string): Promise<boolean> {
  const [, subscribers] = await redis.pubsub('NUMSUB', `holdfast:inbox:${clientId}`)
  return Number(subscribers) > 0
}

describe('when processes die or freeze', () => {
  it.each([
    ['', []],
    [', even when another client listens to every channel', ['*']],
  ])('a waiter whose process was killed is passed over at once%s', async (_, patterns) => {
    const monitor = openRedisClient(server.url)
    for (const pattern of patterns) await monitor.psubscribe(pattern)
    const [dead, holder, next] = await Promise.all([
      forkClient(server.url),
      openSubscribed(),
      openSubscribed(),
    ])
    const held = await holder.lock.lock()
    await dead.lock(name)
    await dead.untilWaiting()
    const waiting = next.lock.lock()
    await inRedis.untilQueued(2)
    await dead.kill()
    await until(async () => !(await isHeard(dead.clientId)))
    await held.unlock()
    const lease = await soon(waiting)
    await lease.unlock()
  })
})

describe('when notices are lost', () => {
  it('every waiter is served although grants fall into a gap of all subscriptions', async () => {
    const [holder, a, b] = await Promise.all([openSubscribed(), openSubscribed(), openSubscribed()])
    const held = await holder.lock.lock()
    const passes = await queueUp(
      inRedis,
      [a, b, a, b, a, b].map(({ lock }) => lock),
    )
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await held.unlock()
    await soon(Promise.all(passes))
  })

  it('after a break the waiters of a client refresh their queue entries in one request', async () => {
    const holder = await openSubscribed()
    const lease = await holder.lock.lock()
    const waiter = await openSubscribed()
    const entered: number[] = []
    const waiting = Array.from({ length: 60 }, (_, n) => waiter.lock.withLock(() => entered.push(n)))
    await inRedis.untilQueued(60)
    const { counts } = await countCommands(server.url, async () => {
      await killClients(server, ['pubsub'])
      await until(() => isHeard(waiter.holdfast.clientId), { what: 'the inbox to be heard again' })
      await lease.unlock()
      await Promise.all(waiting)
    })
    expect(entered).toEqual([...entered.keys()])
    expect(runsOf(counts, 'lockRefresh')).toBe(1)
    // Few, for owners that were passed the lock before they could hear of it: not one for each waiter.
    expect(runsOf(counts, 'lockAcquire')).toBeLessThan(10)
  })

  it('the waiters of a client refresh one by one when the joint request fails', async () => {
    const url = await makeRedisUser(server, ['~*', '&*', '+@all'])
    const holdfast = openClient(url)
    const holder = await openSubscribed()
    await holder.lock.lock()
    const spoiled = `spoiled-${name}`
    await holder.holdfast.getLock(spoiled).lock()
    const giveUp = new AbortController()
    const waitingInVain = holdfast.getLock(spoiled).lock({ signal: giveUp.signal })
    const waiting = holdfast.getLock(name).lock()
    await inRedis.untilQueued(1)
    const spoiledInRedis = new LockInRedis(redis, spoiled)
    await spoiledInRedis.untilQueued(1)
    await redis
      .pipeline([
        // A script that finds a text where the queue entries were fails as a whole.
        ['set', spoiledInRedis.waitersKey, 'not a hash', 'PX', 30_000],
        ['del', `lock:${name}`],
        ['client', 'kill', 'user', new URL(url).username, 'type', 'normal'],
      ])
      .exec()
    const lease = await soon(waiting)
    giveUp.abort()
    await expect(waitingInVain).rejects.toThrow()
    // It would have to wait for the lease of 30 s to end, or for a third of that.
    await lease.unlock()
  })

  it('a grant stands when the releaser may not publish, and the waiter finds it at its next refresh', async () => {
    const watchdogTimeoutMs = 3_000
    const waiter = await openSubscribed({ watchdogTimeoutMs })
    const holdfast = openClient(await makeRedisUser(server, ['~*', '+@all', 'resetchannels']))
    const warnings: HoldfastEvents['warning'][0][] = []
    const held = await holdfast.getLock(name).lock()
    const waiting = waiter.lock.lock()
    await inRedis.untilQueued(1)
    const [owner] = await inRedis.queue()
    holdfast.on('warning', (warning) => warnings.push(warning))
    await held.unlock()
    expect(await inRedis.holder()).toBe(owner)
    expect(warnings.filter(({ message }) => message.startsWith('Redis rejected'))).toMatchObject([
      { code: 'NOTICE_REFUSED' },
    ])
    const lease = await soon(waiting)
    expect(lease.owner).toBe(owner)
    await lease.unlock()
  })
})

describe('locks of one cluster slot', () => {
  it.each([
    ['without a prefix', () => openClient(server.url, { prefix: '' })],
    ['shared with Redisson', () => openShared(server.url)],
  ])('of which one is named like the hash tag of the other never meet, %s', async (_, open) => {
    const [a, b, c] = [open(), open(), open()]
    for (const client of [a, b, c]) await useOnce(client)
    const bare = await a.getLock(name).lock()
    const braced = await b.getLock(`{${name}}`).lock()
    const wait = new AbortController()
    const waiting = c.getLock(`{${name}}`).lock({ signal: wait.signal })
    await new LockInRedis(redis, `{${name}}{}`, '').untilQueued(1)
    await bare.unlock()
    const again = await a.getLock(name).tryLock()
    expect(again?.isHeld).toBe(true)
    await braced.unlock()
    expect((await waiting).isHeld).toBe(true)
    expect(Object.keys(await redis.hgetall(`{${name}}`))).toEqual([(await waiting).owner])
  })

  it('whose grants are mixed up leave a waiter waiting', async () => {
    const { holdfast, lock } = await openSubscribed()
    const { lock: held } = await openSubscribed()
    const lease = await held.lock()
    const waiting = lock.lock()
    await inRedis.untilQueued(1)
    const [owner = ''] = await inRedis.queue()
    const proof = (await inRedis.places())[owner]?.split(' ')[4] ?? ''
    const other = new LockInRedis(redis, `${name}-other`)
    const nowUs = Date.now() * 1000
    await redis.publish(
      `holdfast:inbox:${holdfast.clientId}`,
      `granted ${owner} ${proof} 1 ${nowUs} 30000 ${other.key}`,
    )
    expect(await inRedis.queue()).toEqual([owner])
    expect(await Promise.race([waiting, Promise.resolve('waiting')])).toBe('waiting')
    await lease.unlock()
    expect((await waiting).owner).toBe(owner)
  })
})

it('forceUnlock looks at the holder, not at those in the queue', async () => {
  const { lock } = await openSubscribed()
  await lock.lock()
  const owners = Array.from({ length: 300 }, (_, n) => `crowd:${n}`)
  const entry = `${String(Date.now() * 1000)} 30000 30000 0 p holdfast:inbox:crowd`
  await redis.rpush(inRedis.queueKey, ...owners)
  await redis.hset(inRedis.waitersKey, Object.fromEntries(owners.map((owner) => [owner, entry])))
  for (const key of [inRedis.queueKey, inRedis.waitersKey]) await redis.pexpire(key, 30_000)
  const entriesRead = async (): Promise<number> => {
    const stats = await redis.info('commandstats')
    return Number(/cmdstat_hget:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  }
  const before = await entriesRead()
  expect(await lock.forceUnlock()).toBe(true)
  expect((await entriesRead()) - before).toBeLessThan(20)
  expect(await inRedis.holder()).toBe('crowd:0')
})
