import { countCommands, uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NotOwnerError,
  type Holdfast,
} from '../src/index.js'
import { closeAll, openProxy, openReadyClient, openRedisClient } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { nextEvent } from './support/next-event.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let mine: Holdfast
let other: Holdfast
/** In the order in which they are acquired: of one slot, by their keys. */
let a: string, b: string, c: string, d: string

beforeEach(async () => {
  redis = openRedisClient(server.url)
  await loadScripts(redis)
  ;[mine, other] = await Promise.all([openReadyClient(server.url), openReadyClient(server.url)])
  const tag = `{${uniqueName('multi')}}`
  ;[a, b, c, d] = [`${tag}a`, `${tag}b`, `${tag}c`, `${tag}d`]
})
afterEach(closeAll)

const inRedis = (name: string): LockInRedis => new LockInRedis(redis, name)

/** Which of the locks are held. */
async function held(...names: string[]): Promise<string[]> {
  const holders = await Promise.all(names.map((name) => inRedis(name).holder()))
  return names.filter((_, i) => holders[i] !== undefined)
}

const givenUp = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

describe('a multi lock', () => {
  it('holds all its locks while the callback runs, and none afterwards', async () => {
    const multi = mine.getMultiLock([mine.getLock(c), a, b])
    const result = await multi.withLock(async (lease) => {
      expect(await held(a, b, c)).toEqual([a, b, c])
      expect(lease.names).toEqual([c, a, b])
      expect([lease.isHeld, multi.isHeld()]).toEqual([true, true])
      expect(lease.remainingMs()).toBeGreaterThan(20_000)
      expect(await other.getLock(b).tryLock()).toBeNull()
      return 'done'
    })
    expect([result, multi.isHeld(), await held(a, b, c)]).toEqual(['done', false, []])
  })

  it('tryWithLock runs its callback with all locks, or with none, and reports who kept one of them', async () => {
    const multi = mine.getMultiLock([a, b, c])
    expect(await multi.tryWithLock(() => held(a, b, c))).toEqual({ ran: true, value: [a, b, c] })
    const kept = await other.getLock(b).lock()
    const never = jest.fn()
    expect(await multi.tryWithLock({ waitMs: 500 }, never)).toEqual({ ran: false, holder: kept.owner })
    expect([never.mock.calls, await held(a, c)]).toEqual([[], []])
    await kept.unlock()
  })

  it('costs one command to acquire and one per lock to release', async () => {
    const multi = mine.getMultiLock([a, b, c, d])
    const { counts } = await countCommands(server.url, () => multi.withLock(() => undefined))
    expect(runsOf(counts, 'multiAcquire')).toBe(1)
    expect(runsOf(counts, 'lockRelease')).toBe(4)
    expect(runsOf(counts, 'lockAcquire') + runsOf(counts, 'lockRenew')).toBe(0)
  })

  it('of one lock is that lock', async () => {
    const { counts } = await countCommands(server.url, () =>
      mine.getMultiLock([a, mine.getLock(a)]).withLock(async () => expect(await held(a)).toEqual([a])),
    )
    expect(runsOf(counts, 'lockAcquire')).toBe(1)
  })

  it('acquires in the same order, whatever the order given', async () => {
    await using _held = await other.getLock(b).lock()
    for (const names of [
      [a, b, c],
      [c, b, a],
    ]) {
      const abort = new AbortController()
      const waiting = nextEvent(mine, 'waiting')
      const call = givenUp(mine.getMultiLock(names).lock({ signal: abort.signal }))
      expect((await waiting).name).toBe(b)
      expect(await held(a, c)).toEqual([a])
      abort.abort()
      await call
      await until(async () => (await held(a)).length === 0)
    }
  })

  it('gives each lock its own token, which grows', async () => {
    const multi = mine.getMultiLock([a, b])
    const first = await multi.withLock((lease) => [
      lease.fencingToken(a),
      lease.fencingToken(mine.getLock(b)),
    ])
    const next = await multi.withLock((lease) => [lease.fencingToken(a), lease.fencingToken(b)])
    expect(next[0]).toBeGreaterThan(Number(first[0]))
    expect(next[1]).toBeGreaterThan(Number(first[1]))
    await multi.withLock((lease) => {
      expect(lease.fencingTokenIfAny(a)).toBe(lease.fencingToken(a))
      expect(() => lease.fencingTokenIfAny(c)).toThrow(InvalidArgumentError)
      expect(() => lease.fencingToken(c)).toThrow(InvalidArgumentError)
    })
  })

  it('begins its fixed lease when the last lock is there, and keeps the others until then', async () => {
    const blocker = await other.getLock(c).lock()
    const leaseMs = 3_000
    const acquired = mine.getMultiLock([a, b, c]).lock({ leaseMs })
    await inRedis(c).untilQueued(1)
    const holders = (): Promise<unknown> => Promise.all([a, b].map((name) => inRedis(name).holder()))
    const before = await holders()
    const since = performance.now()
    await until(() => performance.now() - since > leaseMs + 300)
    expect(await holders()).toEqual(before)
    const freeAt = performance.now()
    await blocker.unlock()
    await using lease = await acquired
    expect(lease.remainingMs() + performance.now() - freeAt).toBeGreaterThan(leaseMs - 2 - leaseMs / 100)
    const ttls = await Promise.all([a, b, c].map((name) => inRedis(name).ttlMs()))
    expect(Math.min(...ttls) + performance.now() - freeAt).toBeGreaterThanOrEqual(leaseMs)
    expect(Math.max(...ttls)).toBeLessThanOrEqual(leaseMs)
  })

  it('begins its fixed lease when the last lock is there, also when the request for several is slow', async () => {
    const proxy = await openProxy(server)
    const far = await openReadyClient(proxy.url)
    const multi = mine.getMultiLock([a, b, far.getLock(c), far.getLock(d)])
    proxy.blackHole('toServer')
    const leaseMs = 3_000
    const locking = multi.lock({ leaseMs })
    await until(async () => (await held(a, b)).length === 2)
    const heldAt = performance.now()
    await until(() => performance.now() - heldAt > 700)
    const healedAt = performance.now()
    proxy.heal()
    const lease = await locking
    expect(lease.remainingMs() + performance.now() - healedAt).toBeGreaterThan(leaseMs - 300)
    await lease.unlock()
  })

  it('refuses what cannot be held together, before anything is sent', () => {
    expect(() => mine.getMultiLock([])).toThrow(InvalidArgumentError)
    expect(() => mine.getMultiLock([''])).toThrow(InvalidArgumentError)
    expect(() => mine.getMultiLock([mine.getLock(a), other.getLock(a)])).toThrow(/two clients/)
  })

  it('is left once, and its lease says so', async () => {
    const lease = await mine.getMultiLock([a, b]).lock()
    await lease.unlock()
    await lease.unlock()
    expect([lease.isHeld, lease.remainingMs()]).toEqual([false, 0])
    expect(() => lease.assertHeld()).toThrow(NotOwnerError)
    await expect(lease.run(() => undefined)).rejects.toBeInstanceOf(NotOwnerError)
  })
})

describe('who waits', () => {
  it('nested single locks: a lock that is waited for later is not blocked before', async () => {
    // Q holds a and wants c. H holds c and wants d. A multi lock of a and d waits for a; if it kept d, all would be stuck.
    const q = await mine.getLock(a).lock()
    const h = await other.getLock(c).lock()
    const multi = other.getMultiLock([a, d]).lock()
    await inRedis(a).untilQueued(1)
    const qNext = mine.getLock(c).lock()
    await inRedis(c).untilQueued(1)
    expect(await inRedis(d).queue()).toEqual([])
    const hNext = await other.getLock(d).lock({ waitMs: 5_000 })
    await Promise.all([hNext.unlock(), h.unlock()])
    await Promise.all([(await qNext).unlock(), q.unlock()])
    await (await multi).unlock()
  })

  it('a waiter that is ahead on a free lock is not overtaken', async () => {
    const holder = await mine.getLock(b).lock({ leaseMs: 30_000 })
    const waiting = other.getLock(b).lock()
    await inRedis(b).untilQueued(1)
    await redis.del(inRedis(b).key)
    expect(await mine.getMultiLock([a, b, c]).tryLock()).toBeNull()
    expect(await held(a, b, c)).toEqual([])
    const multi = mine.getMultiLock([a, b, c]).lock()
    await (await waiting).unlock()
    await (await multi).unlock()
    await expect(holder.unlock()).rejects.toThrow(LockLostError)
  })

  it('tryLock leaves nothing', async () => {
    await using _held = await other.getLock(c).lock()
    const { value, counts } = await countCommands(server.url, () => mine.getMultiLock([a, b, c, d]).tryLock())
    expect(value).toBeNull()
    expect([...counts.values()]).toEqual([1])
    expect(await held(a, b, d)).toEqual([])
    for (const name of [a, b, c, d]) expect(await inRedis(name).places()).toEqual({})
  })

  it('waitMs is for all together, and its end leaves nothing', async () => {
    await using _held = await other.getLock(c).lock()
    const multi = mine.getMultiLock([a, b, c, d])
    const failure = await givenUp(multi.lock({ waitMs: 1_500 }))
    expect(failure).toBeInstanceOf(LockTimeoutError)
    expect(failure).toMatchObject({ lockName: c, position: 1 })
    expect(await multi.tryLock({ waitMs: 1_500 })).toBeNull()
    await until(async () => (await held(a, b, d)).length === 0)
    expect(await inRedis(c).queue()).toEqual([])
  })
})

it('a member that a dead process waits for is as free for tryLock as by itself', async () => {
  const { queueKey, waitersKey } = inRedis(b)
  await redis.rpush(queueKey, 'dead:1')
  const entry = `${String(Date.now() * 1000)} 30000 30000 1 p holdfast:inbox:dead`
  await redis.hset(waitersKey, 'dead:1', entry)
  for (const key of [queueKey, waitersKey]) await redis.pexpire(key, 30_000)
  const lease = await mine.getMultiLock([a, b, c]).tryLock()
  expect(await held(a, b, c)).toEqual([a, b, c])
  await lease?.unlock()
  expect(await (await other.getLock(b).tryLock())?.unlock()).toBeUndefined()
  expect(await inRedis(b).queue()).toEqual(['dead:1'])
})

describe('a member that is lost', () => {
  it('member lost waiting: all is given back and begun again', async () => {
    const blocker = await other.getLock(b).lock()
    const acquired = mine.getMultiLock([a, b]).lock()
    await inRedis(b).untilQueued(1)
    const before = await inRedis(a).holder()
    await other.getLock(a).forceUnlock()
    await until(async () => ![undefined, before].includes(await inRedis(a).holder()))
    await inRedis(b).untilQueued(1)
    await blocker.unlock()
    await using lease = await acquired
    expect(lease.isHeld).toBe(true)
    expect(await held(a, b)).toEqual([a, b])
  })

  it('a member that is gone without notice is found before the callback runs', async () => {
    const blocker = await other.getLock(c).lock()
    const acquired = mine.getMultiLock([a, b, c]).lock()
    await inRedis(c).untilQueued(1)
    await redis.del(inRedis(a).key)
    const thief = await other.getLock(a).lock()
    await blocker.unlock()
    await inRedis(a).untilQueued(1)
    await thief.unlock()
    await using lease = await acquired
    expect(lease.isHeld).toBe(true)
    expect(await held(a, b, c)).toEqual([a, b, c])
  })

  it('member lost held: all are lost, with one error, and the others are released', async () => {
    const lost: string[] = []
    mine.on('lost', ({ name, error }) => lost.push(`${name} ${error.reason}`))
    const multi = mine.getMultiLock([a, b, c])
    const failure = await givenUp(
      multi.withLock(async (lease) => {
        const aborted = new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
        await other.getLock(b).forceUnlock()
        await aborted
        expect(lease.signal.reason).toMatchObject({
          reason: 'member-lost',
          lockName: b,
          cause: { reason: 'revoked' },
        })
        expect([lease.isHeld, lease.remainingMs(), multi.isHeld()]).toEqual([false, 0, false])
        expect(() => lease.assertHeld()).toThrow(LockLostError)
        await expect(mine.getLock(a).lock()).rejects.toMatchObject({ reason: 'member-lost' })
        await until(async () => (await held(a, b, c)).length === 0)
        return 'result'
      }),
    )
    expect(failure).toBeInstanceOf(LockLostError)
    expect(failure).toMatchObject({
      reason: 'member-lost',
      lockName: b,
      result: 'result',
      cause: { reason: 'revoked' },
    })
    expect(lost.sort()).toEqual([`${a} member-lost`, `${b} revoked`, `${c} member-lost`])
    await mine.getMultiLock([a, b, c]).withLock(() => undefined)
  })

  it('a loss that only the release finds is reported too', async () => {
    const lease = await mine.getMultiLock([a, b]).lock()
    await redis.del(inRedis(b).key)
    await expect(lease.unlock()).rejects.toMatchObject({ reason: 'member-lost', lockName: b })
    expect(await held(a, b)).toEqual([])
  })
})

describe('re-entry both ways', () => {
  it('single locks inside re-enter, and so does another multi lock', async () => {
    await mine.getMultiLock([a, b]).withLock(async () => {
      await mine.getLock(a).withLock(({ holdCount }) => expect(holdCount).toBe(2))
      await mine.getMultiLock([b, c]).withLock(async () => {
        expect(Object.values(await inRedis(b).counts())).toEqual(['2'])
        expect(Object.values(await inRedis(c).counts())).toEqual(['1'])
      })
      expect(await held(a, b, c)).toEqual([a, b])
    })
  })

  it('a multi lock inside single locks enters them once more, and leaves them held', async () => {
    await mine.getLock(b).withLock(async (outer) => {
      await mine.getMultiLock([a, b, c]).withLock(async (lease) => {
        expect(outer.holdCount).toBe(2)
        expect(lease.fencingToken(b)).toBe(outer.fencingToken)
        expect(await held(a, b, c)).toEqual([a, b, c])
      })
      expect([outer.holdCount, outer.isHeld]).toEqual([1, true])
      expect(await held(a, b, c)).toEqual([b])
    })
  })

  it('the loss of what was acquired inside does not take the enclosing lock along', async () => {
    await mine.getLock(b).withLock(async (outer) => {
      await givenUp(
        mine.getMultiLock([a, b]).withLock(async (lease) => {
          const { signal } = lease
          await other.getLock(a).forceUnlock()
          await until(() => signal.aborted)
        }),
      )
      await until(() => outer.holdCount === 1)
      expect(outer.isHeld).toBe(true)
    })
  })

  it('a scope shares its locks, and unlock() undoes the newest of the same members', async () => {
    const multi = mine.getMultiLock([b, a])
    await mine.scope(async () => {
      await multi.lock()
      await mine.getLock(a).withLock(({ holdCount }) => expect(holdCount).toBe(2))
      await expect(mine.getLock(a).unlock()).rejects.toThrow(NotOwnerError)
      await expect(mine.getMultiLock([a, c]).unlock()).rejects.toThrow(NotOwnerError)
      await mine.getMultiLock([a, b]).unlock()
      expect(await held(a, b)).toEqual([])
      await multi.lock()
      const leaked = nextEvent(mine, 'leaked')
      void leaked.then(({ name }) => expect([a, b]).toContain(name))
    })
    expect(await held(a, b)).toEqual([])
    await expect(multi.unlock()).rejects.toThrow(NotOwnerError)
  })
})

it('unlock() finds the scope of any of the clients', async () => {
  const multi = mine.getMultiLock([mine.getLock(a), other.getLock(b)])
  for (const client of [mine, other]) {
    await client.scope(async () => {
      await multi.lock()
      await multi.unlock()
      expect(await held(a, b)).toEqual([])
      await expect(multi.unlock()).rejects.toThrow(NotOwnerError)
    })
  }
})
