import { countCommands, uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Lease, Lock } from '../src/index.js'
import { scripts } from '../src/redis/redisson/generated.js'
import { closeAll, openRedisClient, useOnce } from './support/clients.js'
import { openShared } from './support/open-shared.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { OtherOwner } from './support/other-owner.js'
import { releaseChannel } from './support/redisson-channels.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { openTwoWays, type TwoWays } from './support/two-ways.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

/** So long that nothing which ends by itself, and no periodic look at the queue, can stand in for a wake-up. */
const leaseMs = 600_000
/** Above what any wake-up takes on a busy machine. */
const waitMs = 10_000

const server = ownRedis()
let redis: Redis
let name: string
let client: TwoWays
let lock: Lock
let java: OtherOwner
let inRedis: LockInRedis

beforeEach(async () => {
  name = uniqueName('shared')
  redis = openRedisClient(server.url)
  inRedis = new LockInRedis(redis, name, '')
  await loadScripts(redis)
  client = await openTwoWays(server, (template) => openShared(template, { watchdogTimeoutMs: leaseMs }))
  await useOnce(client.holdfast)
  lock = client.holdfast.getLock(name)
  java = new OtherOwner(server, 'PUBLISH')
})
afterEach(closeAll)

/** Waits for the lock. */
function wait(): Promise<Lease> {
  const waiting = lock.lock({ waitMs })
  // A test that fails earlier leaves it behind.
  waiting.catch(() => undefined)
  return waiting
}

/** Resolves when our client has processed all replies of before. */
const roundTrip = () => client.holdfast.getLock(uniqueName('other')).withLock(() => undefined)

/** A queue entry whose inbox has no subscriber. */
const queueDeadWaiter = () => {
  const keys = [name, inRedis.queueKey, inRedis.waitersKey, `redisson_lock_token:{${name}}`]
  return redis.eval(
    scripts.redissonLockAcquire.lua,
    4,
    ...keys,
    'dead:1',
    1,
    leaseMs,
    `${leaseMs} ${leaseMs} 1 p nobody`,
    0,
  )
}

const giveTurn = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[2], 'turn', string.format('%.0f %.0f %s', nowMs + 5, nowMs + ARGV[3], ARGV[1]))
redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
redis.call('PUBLISH', ARGV[2], 'free ' .. ARGV[1] .. ' ' .. KEYS[1])`

/**
 * Frees the lock, which Java holds, as a release with a head start does, and with a turn that lasts. Resolves when our
 * waiter has asked in the head start. Its reply, and all that follow, are held up.
 */
async function askInHeadStart(deadWaiters: number): Promise<{ waiting: Promise<Lease> }> {
  for (;;) {
    const waiting = wait()
    await inRedis.untilQueued(deadWaiters + 1)
    await roundTrip()
    const [owner = ''] = await redis.lrange(inRedis.queueKey, -1, -1)
    const place = (await redis.hget(inRedis.waitersKey, owner)) ?? ''
    const [, , , , , inbox = ''] = place.split(' ')
    // The ask puts that right again.
    const marked = place.replace(/^\d+/, '9999999999999999')
    client.replies.blackHole('toClient')
    await redis.eval(giveTurn, 2, name, inRedis.waitersKey, owner, inbox, leaseMs, marked)
    await until(async () => (await redis.hget(inRedis.waitersKey, owner)) !== marked, { what: 'its ask' })
    if ((await redis.exists(name)) === 0) return { waiting }
    // It was not that quick, and is in.
    client.replies.heal()
    await (await waiting).unlock()
    await java.tryLock(name, leaseMs)
  }
}

describe.each([
  ['is first in the queue', 0],
  ['is behind a waiter whose process died', 1],
])('a waiter that has a head start to wait for, and %s,', (_, deadWaiters) => {
  beforeEach(async () => {
    await java.tryLock(name, leaseMs)
    if (deadWaiters > 0) await queueDeadWaiter()
  })

  it('gets in when Java came and went before it learned of its turn, whatever notices another waiter receives', async () => {
    const { waiting: first } = await askInHeadStart(deadWaiters)
    expect(await java.tryLock(name, leaseMs)).toBeNull()
    const second = wait()
    await inRedis.untilQueued(deadWaiters + 2)
    const heard = client.heard.length
    await java.unlock(name)
    await untilLength(client.heard, heard + 1)
    expect(client.heard.at(-1)).toBe('0')
    client.replies.heal()
    await (await first).unlock()
    await (await second).unlock()
  })

  it('is not put off by a waiter that learns how long the turn lasts', async () => {
    const { waiting: first } = await askInHeadStart(deadWaiters)
    const second = wait()
    await inRedis.untilQueued(deadWaiters + 2)
    client.replies.heal()
    await (await first).unlock()
    await (await second).unlock()
  })
})

it('a release announced while the first request of the only waiter is in flight is not missed', async () => {
  await java.tryLock(name, leaseMs)
  const before = wait()
  await inRedis.untilQueued(1)
  await java.unlock(name)
  await (await before).unlock()
  await java.tryLock(name, leaseMs)
  client.replies.blackHole('toClient')
  const waiting = wait()
  await inRedis.untilQueued(1)
  const heard = client.heard.length
  await java.unlock(name)
  await untilLength(client.heard, heard + 1)
  client.replies.heal()
  await (await waiting).unlock()
})

it('a release of Java wakes the first in the queue alone, also when another waiter was here before it', async () => {
  const next = new OtherOwner(server, 'PUBLISH')
  await java.tryLock(name, leaseMs)
  client.messages.blackHole('toClient')
  const early = wait()
  const listeners = async () => Number((await redis.pubsub('NUMSUB', releaseChannel(name)))[1])
  await until(async () => (await listeners()) === 1, { what: 'the subscription' })
  await java.unlock(name)
  expect(await next.tryLock(name, leaseMs)).toBeNull()
  client.replies.blackHole('toClient')
  // The confirmation and the release, in one piece: it asks at once, and may not queue yet.
  client.messages.heal()
  await untilLength(client.heard, 1)
  const first = wait()
  await inRedis.untilQueued(1)
  const second = wait()
  await inRedis.untilQueued(2)
  client.replies.heal()
  await inRedis.untilQueued(3)
  const { counts } = await countCommands(server.url, async () => {
    await next.unlock(name)
    await first
  })
  expect(runsOf(counts, 'redissonLockAcquire')).toBe(1)
  for (const waiting of [first, second, early]) await (await waiting).unlock()
})
