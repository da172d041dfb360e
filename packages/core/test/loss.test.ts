import { sharedRedisUrl, startProxy, uniqueName, until } from '@holdfast/testkit'
import { InvalidArgumentError, LockLostError, NotOwnerError } from '@holdfast/core'
import { closeAfterTest, closeAll, openHoldfast } from './support/clients.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

const aborted = (signal: AbortSignal): Promise<number> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(performance.now())
    })
  })

/** Keeps the event loop from doing anything. */
function stall(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

async function openBehindProxy(watchdogTimeoutMs: number) {
  const { hostname, port, username, password } = new URL(sharedRedisUrl())
  const proxy = await startProxy({ host: hostname, port: Number(port || 6379) })
  closeAfterTest(() => proxy.close())
  const url = new URL(sharedRedisUrl())
  url.hostname = proxy.host
  url.port = String(proxy.port)
  url.username = username
  url.password = password
  const { holdfast } = openHoldfast(url.href, { watchdogTimeoutMs })
  return { proxy, holdfast }
}

describe("a holder's link is black-holed", () => {
  const cases = [
    ['both', 'both directions'],
    ['toServer', 'the way to Redis'],
    ['toClient', 'the way back'],
  ] as const
  test.each(cases)('%s: its signal aborts before a rival gets in, 20 times out of 20', async (direction) => {
    const rivals = openHoldfast(sharedRedisUrl()).holdfast
    const run = async (): Promise<number> => {
      const { proxy, holdfast } = await openBehindProxy(2000)
      const name = uniqueName('black-hole')
      const lease = await holdfast.getLock(name).lock()
      const lost = aborted(lease.signal)
      const rival = rivals
        .getLock(name)
        .lock()
        .then(async (entered) => {
          const at = performance.now()
          const holderBelievedIt = lease.isHeld
          await entered.unlock()
          return { at, holderBelievedIt }
        })
      await until(() => rivals.stats().waiters > 0)
      proxy.blackHole(direction)
      const [lostAt, { at, holderBelievedIt }] = await Promise.all([lost, rival])
      expect(holderBelievedIt).toBe(false)
      expect(lease.signal.reason).toBeInstanceOf(LockLostError)
      proxy.heal()
      return at - lostAt
    }
    const marginsMs = await Promise.all(Array.from({ length: 20 }, run))
    expect(Math.min(...marginsMs)).toBeGreaterThan(0)
  })
})

describe('the event loop stalls past the lease', () => {
  test.each([
    ['a fixed lease', { leaseMs: 300 }],
    ['a watchdog lease', {}],
  ])('%s: isHeld is false on the first line after the stall', async (_, options) => {
    const { holdfast } = openHoldfast(sharedRedisUrl(), { watchdogTimeoutMs: 300 })
    const lease = await holdfast.getLock(uniqueName('stall')).lock(options)
    const { signal } = lease
    expect(lease.isHeld).toBe(true)
    stall(400)
    expect(lease.isHeld).toBe(false)
    expect(lease.remainingMs()).toBe(0)
    expect(signal.aborted).toBe(true)
    expect(() => {
      lease.assertHeld()
    }).toThrow(LockLostError)
    await expect(lease.unlock()).rejects.toBeInstanceOf(LockLostError)
  })
})

describe('the machine sleeps', () => {
  test.each([
    ['a watchdog lease', {}],
    ['a fixed lease', { leaseMs: 20_000 }],
  ])('%s is in doubt until Redis proves it', async (_, options) => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const lease = await holdfast.getLock(uniqueName('sleep')).lock(options)
    const realNow = Date.now
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 60_000)
    expect(lease.isHeld).toBe(false)
    expect(() => {
      lease.assertHeld()
    }).toThrow('suspended')
    await until(() => lease.isHeld)
    expect(lease.signal.aborted).toBe(false)
    await lease.unlock()
  })

  test('a hold that did not survive the sleep is lost as soon as Redis says so', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('sleep'))
    const lease = await lock.lock()
    await redis.del(`lock:${lock.name}`)
    const realNow = Date.now
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 60_000)
    expect(lease.isHeld).toBe(false)
    await until(() => lease.signal.aborted)
    expect(lease.signal.reason).toMatchObject({ reason: 'not-held' })
  })
})

describe('Redis forgets a hold', () => {
  test('the next renewal tells the holder', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl(), { watchdogTimeoutMs: 600 })
    const lock = holdfast.getLock(uniqueName('forgotten'))
    const lost = new Promise((resolve) => holdfast.on('lost', resolve))
    const lease = await lock.lock()
    const told = aborted(lease.signal)
    await redis.del(`lock:${lock.name}`)
    await told
    expect(await lost).toMatchObject({ name: lock.name, owner: lease.owner })
    expect(lease.remainingMs()).toBe(0)
    expect(holdfast.stats()).toMatchObject({ holds: 0, lost: 1 })
  })

  test('unlock tells the holder of a fixed lease', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('forgotten'))
    const lease = await lock.lock({ leaseMs: 10_000 })
    await redis.del(`lock:${lock.name}`)
    await expect(lease.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    await lease.unlock()
  })
})

describe('leases', () => {
  it('that are left as soon as their loss is told count as lost, however early the timer was', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const unlocks = Array.from({ length: 500 }, async (_, i) => {
      const lease = await holdfast.getLock(uniqueName('left-when-lost')).lock({ leaseMs: 300 + (i % 100) })
      if (lease.signal.aborted) return lease.unlock()
      // At once: a moment later the deadline has passed on every clock.
      return new Promise((resolve) => {
        lease.signal.addEventListener('abort', () => {
          resolve(lease.unlock())
        })
      })
    })
    for (const result of await Promise.allSettled(unlocks)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_LOST' } })
    }
  })

  test('the watchdog renews for as long as the job runs', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl(), { watchdogTimeoutMs: 300 })
    const lock = holdfast.getLock(uniqueName('long'))
    let renewals = 0
    const renewedOften = new Promise<void>((resolve) => {
      holdfast.on('renewed', () => {
        if (++renewals === 8) resolve()
      })
    })
    await lock.withLock(async (lease) => {
      await renewedOften
      expect(lease.isHeld).toBe(true)
      expect(await redis.pttl(`lock:${lock.name}`)).toBeGreaterThan(0)
    })
  })

  test('a fixed lease ends by itself', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('fixed'))
    const lease = await lock.lock({ leaseMs: 150 })
    const lostAfterMs = (await aborted(lease.signal)) - performance.now()
    expect(lostAfterMs).toBeLessThanOrEqual(0)
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' })
    await using next = await lock.lock({ waitMs: 2000 })
    expect(next.isHeld).toBe(true)
  })

  test('extend lengthens a fixed lease and never shortens it', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('extend'))
    await using lease = await lock.lock({ leaseMs: 1000 })
    await lease.extend(60_000)
    expect(lease.remainingMs()).toBeGreaterThan(50_000)
    await lease.extend(100)
    expect(lease.remainingMs()).toBeGreaterThan(50_000)
    expect(await redis.pttl(`lock:${lock.name}`)).toBeGreaterThan(50_000)
  })

  test('extend is refused for watchdog leases, after unlock, and once lost', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('extend'))
    const watched = await lock.lock()
    await expect(watched.extend(1000)).rejects.toBeInstanceOf(InvalidArgumentError)
    await expect(watched.extend(99)).rejects.toThrow('leaseMs must be an integer from 100')
    await watched.unlock()
    const fixed = await lock.lock({ leaseMs: 5000 })
    await redis.del(`lock:${lock.name}`)
    await expect(fixed.extend(5000)).rejects.toBeInstanceOf(LockLostError)
    await expect(fixed.unlock()).rejects.toBeInstanceOf(LockLostError)
    await expect(fixed.extend(5000)).rejects.toBeInstanceOf(NotOwnerError)
  })

  test('maxHoldMs brakes renewal, and no time to live is set past it', async () => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl(), { watchdogTimeoutMs: 600 })
    const lock = holdfast.getLock(uniqueName('brake'))
    const startedAt = performance.now()
    const lease = await lock.lock({ maxHoldMs: 1300 })
    const grantedBy = performance.now()
    let reach = 0
    holdfast.on('renewed', ({ remainingMs }) => {
      reach = Math.max(reach, performance.now() + remainingMs)
    })
    const lostAt = await aborted(lease.signal)
    expect(lostAt - startedAt).toBeGreaterThan(1000)
    expect(reach - grantedBy).toBeLessThanOrEqual(1300)
    await until(async () => (await redis.exists(`lock:${lock.name}`)) === 0, { timeoutMs: 400 })
  })
})

describe('a nested call with maxHoldMs', () => {
  test('brakes while it is open, and never ends the outer hold once it is left', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl(), { watchdogTimeoutMs: 300 })
    const lock = holdfast.getLock(uniqueName('brake'))
    await lock
      .withLock(async (outer) => {
        await lock.withLock({ maxHoldMs: 100 }, () => undefined)
        let renewals = 0
        await new Promise<void>((resolve, reject) => {
          outer.signal.addEventListener('abort', reject)
          holdfast.on('renewed', () => {
            if (++renewals === 5) resolve()
          })
        })
        expect(outer.isHeld).toBe(true)
        await lock.withLock({ maxHoldMs: 100 }, () => until(() => outer.signal.aborted))
      })
      .catch((error: unknown) => {
        expect(error).toMatchObject({ reason: 'expired' })
      })
    expect.hasAssertions()
  })

  test('counts from its entry, however long that took', async () => {
    const { proxy, holdfast } = await openBehindProxy(30_000)
    const lock = holdfast.getLock(uniqueName('brake'))
    await lock.withLock(async (outer) => {
      proxy.delay(200)
      await lock.withLock({ maxHoldMs: 300 }, () => {
        proxy.delay(0)
        expect(outer.isHeld).toBe(true)
      })
      expect(outer.remainingMs()).toBeGreaterThan(10_000)
    })
  })

  test('ends the hold at its time, however much longer Redis was asked to keep it, and frees the lock', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('brake'))
    const outer = await lock.lock()
    const startedAt = performance.now()
    const inner = await outer.run(() => lock.lock({ maxHoldMs: 300 }))
    expect(inner.remainingMs()).toBeLessThanOrEqual(300)
    const lostAt = await aborted(outer.signal)
    expect(lostAt - startedAt).toBeGreaterThanOrEqual(299)
    expect(lostAt - startedAt).toBeLessThan(3_000)
    await (await openHoldfast(sharedRedisUrl()).holdfast.getLock(lock.name).lock({ waitMs: 3_000 })).unlock()
    await expect(inner.unlock()).rejects.toMatchObject({ reason: 'expired' })
    await expect(outer.unlock()).rejects.toMatchObject({ reason: 'expired' })
  })
})

describe('forceUnlock', () => {
  test('tells the victim at once, and frees the lock for others', async () => {
    const victim = openHoldfast(sharedRedisUrl()).holdfast
    const operator = openHoldfast(sharedRedisUrl()).holdfast
    const name = uniqueName('force')
    const lease = await victim.getLock(name).lock()
    const { signal } = lease
    expect(await operator.getLock(name).forceUnlock()).toBe(true)
    await until(() => signal.aborted, { timeoutMs: 2000, what: 'the victim to be told' })
    expect(signal.reason).toMatchObject({ reason: 'revoked', owner: lease.owner })
    expect(await operator.getLock(name).forceUnlock()).toBe(false)
    await using next = await operator.getLock(name).lock({ waitMs: 0 })
    expect(next.isHeld).toBe(true)
  })

  test('hands the lock to the next waiter', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('force'))
    const first = await lock.lock()
    const next = lock.lock()
    await until(() => holdfast.stats().waiters === 1)
    await lock.forceUnlock()
    expect((await next).isHeld).toBe(true)
    expect(first.isHeld).toBe(false)
    await (await next).unlock()
  })

  test('the token of whoever comes next is larger', async () => {
    const { holdfast } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('force'))
    const first = await lock.lock()
    await lock.forceUnlock()
    await using next = await lock.lock()
    expect(next.fencingToken).toBeGreaterThan(first.fencingToken)
  })
})
