import assert from 'node:assert/strict'
import { countCommands, killClients, uniqueName, until } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import type { Holdfast } from '../src/index.js'
import {
  closeAfterTest,
  closeAll,
  openClient,
  openReadyClient,
  openRedisClient,
  useOnce,
} from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { nextEvent } from './support/next-event.js'
import { makeRedisUser } from './support/redis-user.js'
import { openShared } from './support/open-shared.js'
import { releaseChannel } from './support/redisson-channels.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { openTwoWays } from './support/two-ways.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
/** Of a user that may publish, and see messages, but touch no key of ours. */
let attacker: Redis
let name: string
let inRedis: LockInRedis

beforeEach(async () => {
  redis = openRedisClient(server.url)
  await loadScripts(redis)
  const url = await makeRedisUser(server, ['~chat:*', '&*', '+@all', '-@dangerous'])
  attacker = new Redis(url, { enableReadyCheck: false })
  closeAfterTest(async () => {
    await attacker.quit()
  })
  name = uniqueName('forged')
  inRedis = new LockInRedis(redis, name)
})

afterEach(closeAll)

const nowUs = (): string => String(Date.now() * 1_000)
const publish = (clientId: string, message: string) => attacker.publish(`holdfast:inbox:${clientId}`, message)

/** A holder of the lock in one client, and a waiter in another. */
async function holderAndWaiter() {
  const [holder, waiter] = await Promise.all([openReadyClient(server.url), openReadyClient(server.url)])
  const held = await holder.getLock(name).lock()
  const waiting = waiter.getLock(name).lock({ waitMs: 30_000 })
  waiting.catch(() => undefined)
  await inRedis.untilQueued(1)
  const [owner = ''] = await inRedis.queue()
  return { holder, waiter, held, waiting, owner }
}

/** Resolves once the client has dealt with all messages before: each reply of the server came after them. */
async function untilHeard(holdfast: Holdfast): Promise<void> {
  await attacker.ping()
  for (let i = 0; i < 5; i++) await holdfast.getLock(`${name}-unused`).inspect()
}

it('a user that may publish, but read no key of ours, cannot read them', async () => {
  await expect(attacker.hgetall(inRedis.waitersKey)).rejects.toThrow('NOPERM')
})

it('a grant of another client’s owner has nobody give its lock back', async () => {
  const { holder, waiter, held, waiting } = await holderAndWaiter()
  for (let n = 0; n < 1_000; n++) {
    void publish(waiter.clientId, `granted ${holder.clientId}:${n} p 1 1 1 ${inRedis.key}`)
    void publish(waiter.clientId, `granted ${holder.clientId}:${n} 1 1 1 ${inRedis.key}`)
    void publish(waiter.clientId, `free ${holder.clientId}:${n} ${inRedis.key}`)
  }
  await untilHeard(waiter)
  expect(await inRedis.holder()).toBe(held.owner)
  expect(held.isHeld).toBe(true)
  await held.unlock()
  await (await waiting).unlock()
})

it.each(['a guessed proof', 'no proof'])('a grant with %s does not let a waiter in', async (which) => {
  const { waiter, held, waiting, owner } = await holderAndWaiter()
  const proof = which === 'no proof' ? '' : 'AAAAAAAAAAAAAAAA '
  const entered = jest.fn()
  void waiting.then(entered)
  await publish(
    waiter.clientId,
    `granted ${owner} ${proof}${nowUs()} ${nowUs()} 9007199254740991 ${inRedis.key}`,
  )
  await publish(waiter.clientId, `granted ${owner} ${proof}9007199254740991 ${nowUs()} 10000 ${inRedis.key}`)
  await untilHeard(waiter)
  expect(entered).not.toHaveBeenCalled()
  expect(await inRedis.holder()).toBe(held.owner)
  await held.unlock()
  const lease = await waiting
  expect(lease.fencingToken).toBeLessThan(Date.now() * 1_000 + 86_400_000_000)
  expect(lease.remainingMs()).toBeLessThanOrEqual(30_000)
  await lease.unlock()
  const next = await waiter.getLock(`${name}-other`).lock()
  expect(next.fencingToken).toBeLessThan(Date.now() * 1_000 + 86_400_000_000)
  await next.unlock()
})

it('a message of an eviction that did not happen has the holder ask, and keep its hold', async () => {
  const holder = await openReadyClient(server.url)
  const held = await holder.getLock(name).lock()
  const renewed = nextEvent(holder, 'renewed')
  await publish(holder.clientId, `revoked ${held.owner} ${inRedis.key}`)
  await renewed
  expect(held.isHeld).toBe(true)
  await held.unlock()
})

it('a note of who evicts, without an eviction, changes nothing', async () => {
  const holder = await openReadyClient(server.url)
  const held = await holder.getLock(name).lock()
  const lost = jest.fn()
  holder.on('lost', lost)
  await publish(holder.clientId, `evicting ${JSON.stringify({ owner: held.owner, by: 'nobody' })}`)
  await untilHeard(holder)
  expect(lost).not.toHaveBeenCalled()
  expect(await inRedis.holder()).toBe(held.owner)
  await held.unlock()
})

it('an eviction that did happen still ends the hold at once, as revoked', async () => {
  const [holder, other] = await Promise.all([openReadyClient(server.url), openReadyClient(server.url)])
  const held = await holder.getLock(name).lock()
  const lost = nextEvent(holder, 'lost')
  await other.getLock(name).forceUnlock()
  expect(await lost).toMatchObject({ error: { reason: 'revoked' } })
  expect(held.isHeld).toBe(false)
})

it('a message of an opening that did not happen lets nobody pass a latch', async () => {
  const holdfast = await openReadyClient(server.url)
  const latch = holdfast.getCountDownLatch(name)
  await latch.trySetCount(1)
  const passed = jest.fn()
  const waiting = latch.wait().then(passed)
  const key = `{lock:${name}}:latch`
  await until(async () => (await redis.zcard(`${key}:waiters`)) === 1, { what: 'a waiter' })
  const generation = (await redis.hget(key, 'generation')) ?? ''
  await publish(holdfast.clientId, `open ${generation} ${key}`)
  await untilHeard(holdfast)
  expect(await latch.count()).toBe(1)
  expect(passed).not.toHaveBeenCalled()
  await latch.countDown()
  await waiting
  await latch.delete()
})

it('a notice that was overheard and is sent again, altered, after the client missed it, is not believed', async () => {
  const held = await (await openReadyClient(server.url)).getLock(name).lock()
  const { holdfast, replies, heard } = await openTwoWays(server, openClient)
  const entered = jest.fn()
  const waiting = holdfast.getLock(name).lock()
  void waiting.then(entered, () => undefined)
  await inRedis.untilQueued(1)
  await holdfast.getLock(`${name}-unused`).inspect()
  const [owner = ''] = await inRedis.queue()
  // What an ear at the inbox could have learnt from a grant that the client missed.
  const entry = (await inRedis.places())[owner] ?? ''
  const proof = entry.split(' ')[4] ?? ''
  expect(proof).toMatch(/^[\w-]{16}$/)
  // After a gap the client asks whether it still waits: that it hears of nothing else.
  replies.blackHole('toClient')
  await killClients(server, ['pubsub'])
  await until(async () => (await redis.pubsub('NUMSUB', `holdfast:inbox:${holdfast.clientId}`))[1] !== 0, {
    what: 'the inbox to be subscribed again',
  })
  await publish(holdfast.clientId, `granted ${owner} ${proof} ${nowUs()} ${nowUs()} 30000 ${inRedis.key}`)
  await untilLength(heard, 1)
  expect(entered).not.toHaveBeenCalled()
  replies.heal()
  expect(await inRedis.holder()).toBe(held.owner)
  await held.unlock()
  await (await waiting).unlock()
})

it('1,000 messages that prove nothing make a client send no more than a bounded number of commands', async () => {
  const { waiter, held, waiting, owner } = await holderAndWaiter()
  const own = await waiter.getLock(`${name}-own`).lock()
  const { counts } = await countCommands(server.url, async () => {
    for (let n = 0; n < 1_000; n++) {
      void publish(waiter.clientId, `granted ${owner} x ${nowUs()} ${nowUs()} 30000 ${inRedis.key}`)
      void publish(waiter.clientId, `revoked ${own.owner} lock:${own.name}`)
    }
    await untilHeard(waiter)
  })
  const sent = [...counts]
    .filter(([command]) => command.startsWith('eval'))
    .reduce((sum, [, n]) => sum + n, 0)
  expect(sent).toBeLessThanOrEqual(215)
  await own.unlock()
  await held.unlock()
  await (await waiting).unlock()
})

it('messages that a lock shared with Java is free let nobody in, and cost a bounded number of commands', async () => {
  const [holder, waiter] = [1, 2].map(() => openShared(server.url))
  assert(holder && waiter)
  await Promise.all([useOnce(holder), useOnce(waiter)])
  const held = await holder.getLock(name).lock()
  const entered = jest.fn()
  const waiting = waiter.getLock(name).lock()
  void waiting.then(entered, () => undefined)
  const shared = new LockInRedis(redis, name, '')
  await shared.untilQueued(1)
  const [owner = ''] = await shared.queue()
  const startedAt = performance.now()
  const { counts } = await countCommands(server.url, async () => {
    // One after another: requests that are in flight stand for all messages that arrive meanwhile.
    for (let n = 0; n < 1_000; n++) {
      await publish(waiter.clientId, `free ${owner} ${name}`)
      await attacker.publish(releaseChannel(name), '0')
    }
    await untilHeard(waiter)
  })
  const seconds = (performance.now() - startedAt) / 1_000
  expect(runsOf(counts, 'redissonLockAcquire')).toBeLessThanOrEqual(210 + 201 * seconds)
  expect(entered).not.toHaveBeenCalled()
  expect(await shared.holder()).toBe(held.owner)
  await held.unlock()
  await (await waiting).unlock()
})

it('a fence key with a number that no token can follow stays with its lock, and the error says what to do', async () => {
  const holdfast = await openReadyClient(server.url)
  await redis.set(inRedis.fenceKey, '99999999999999999999')
  const refused = holdfast.getLock(name).lock({ waitMs: 5_000 })
  await expect(refused).rejects.toMatchObject({ name: 'NotALockError', lockName: name })
  await expect(refused).rejects.toThrow(new RegExp(`${inRedis.fenceKey} holds 9{20}.*Delete the key`))
  expect(await inRedis.holder()).toBeUndefined()
  const other = await holdfast.getLock(`${name}-other`).lock()
  expect(other.fencingToken).toBeLessThan(Date.now() * 1_000 + 86_400_000_000)
  await other.unlock()
  await redis.del(inRedis.fenceKey)
  await (await holdfast.getLock(name).lock()).unlock()
})

it('nobody is granted a lock whose fence key was spoilt while it was held, and each waiter learns why', async () => {
  const { held, waiting, holder } = await holderAndWaiter()
  const warned = nextEvent(holder, 'warning')
  await redis.set(inRedis.fenceKey, '9007199254740991', 'PX', 60_000)
  await held.unlock()
  expect((await warned).message).toContain(inRedis.fenceKey)
  expect(await inRedis.holder()).toBeUndefined()
  await expect(holder.getLock(name).tryLock()).rejects.toThrow('Delete the key')
  await redis.del(inRedis.fenceKey)
  await (await holder.getLock(name).tryLock())?.unlock()
  await (await waiting).unlock()
})

it('a proof is in neither inspections nor errors', async () => {
  const { held, waiting, holder, owner } = await holderAndWaiter()
  const proof = (await inRedis.places())[owner]?.split(' ')[4] ?? '?'
  expect(JSON.stringify(await holder.getLock(name).inspect())).not.toContain(proof)
  await held.unlock()
  await (await waiting).unlock()
})

/** Numbers that are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

it('40,000 mutated messages change nothing', async () => {
  const { waiter, held, waiting, owner } = await holderAndWaiter()
  const own = await waiter.getLock(`${name}-own`).lock()
  const entered = jest.fn()
  void waiting.then(entered)
  const problems = jest.fn()
  process.on('unhandledRejection', problems)
  const pick = seeded(7)
  const one = <T>(...of: readonly T[]): T | undefined => of[pick(of.length)]
  const number = () => one('0', '1', '-1', '9007199254740991', '9007199254740992', '1e99', 'NaN', '', nowUs())
  const who = () =>
    one(owner, own.owner, held.owner, `${waiter.clientId}:1`, `${waiter.clientId}:99`, ':1', 'x')
  const what = () =>
    one(inRedis.key, `lock:${own.name}`, `{${inRedis.key}}:latch`, `${inRedis.key}:rw`, '', '\0')
  const templates = [
    () => `granted ${who()} p ${number()} ${number()} ${number()} ${what()}`,
    () => `entered ${number()} ${number()} ${who()}:${number()}:p,${who()}:${number()}:q ${what()}`,
    () => `revoked ${who()} ${what()}`,
    () => `free ${who()} ${what()}`,
    () => `${one('open', 'gone')} ${number()} ${what()}`,
  ]
  for (let n = 0; n < 40_000; n++) {
    let message = one(...templates)?.() ?? ''
    if (pick(3) === 0) {
      const at = pick(message.length + 1)
      message = message.slice(0, at) + String.fromCharCode(pick(256)) + message.slice(at + pick(3))
    }
    const published = publish(waiter.clientId, message)
    if (n % 1_000 === 999) await published
  }
  await untilHeard(waiter)
  expect(entered).not.toHaveBeenCalled()
  expect([own.isHeld, held.isHeld]).toEqual([true, true])
  expect(await inRedis.holder()).toBe(held.owner)
  await own.unlock()
  await held.unlock()
  const lease = await waiting
  expect(lease.fencingToken).toBeLessThan(Date.now() * 1_000 + 86_400_000_000)
  await lease.unlock()
  process.off('unhandledRejection', problems)
  expect(problems).not.toHaveBeenCalled()
})
