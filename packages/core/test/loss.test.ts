import { sharedRedisUrl, startRedis, uniqueName, until } from '@holdfast/testkit'
import { LockLostError, type Lock } from '../src/index.js'
import { closeAll, openClient, openHoldfast, openProxy } from './support/clients.js'

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

async function openBehindProxy(watchdogTimeoutMs: number) {
  const { hostname, port, username, password } = new URL(sharedRedisUrl())
  const proxy = await openProxy({ host: hostname, port: Number(port || 6379) })
  const url = new URL(sharedRedisUrl())
  url.hostname = proxy.host
  url.port = String(proxy.port)
  url.username = username
  url.password = password
  const holdfast = openClient(url.href, { watchdogTimeoutMs })
  return { proxy, holdfast }
}

describe('the machine sleeps', () => {
  it.each([
    ['the watchdog', () => undefined],
    ['a nested call with a short lease', (lock: Lock) => lock.lock({ leaseMs: 100 })],
  ])('no more of a fixed lease is claimed than Redis has left, once %s has proven it', async (_, proveIt) => {
    const { holdfast, redis } = openHoldfast(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('sleep'))
    await lock.withLock({ leaseMs: 20_000 }, async (lease) => {
      await redis.pexpire(`lock:${lock.name}`, 4_000)
      const realNow = Date.now
      jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 16_000)
      await proveIt(lock)
      await until(() => lease.isHeld)
      const claimedMs = lease.remainingMs()
      expect(claimedMs).toBeGreaterThan(1_000)
      expect(claimedMs).toBeLessThanOrEqual(await redis.pttl(`lock:${lock.name}`))
    })
  })
})

describe('a nested call with maxHoldMs', () => {
  it('counts from its entry, however long that took', async () => {
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
})

it('the loss of a server takes the locks of another one along', async () => {
  const second = await startRedis()
  try {
    const name = uniqueName('loss')
    const [a, b, c] = [`${name}a`, `${name}b`, `${name}c`]
    const { holdfast: here, redis } = openHoldfast(sharedRedisUrl())
    const there = openClient(second.url, { watchdogTimeoutMs: 3_000, commandTimeoutMs: 1_000 })
    const heldHere = () => redis.exists(`lock:${a}`, `lock:${c}`)
    const lease = await here.getMultiLock([a, there.getLock(b), c]).lock()
    expect([await heldHere(), await there.getLock(b).isLocked()]).toEqual([2, true])
    const aborted = new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
    await second.kill()
    await aborted
    expect(lease.signal.reason).toMatchObject({ reason: 'member-lost', lockName: b })
    await until(async () => (await heldHere()) === 0)
    await expect(lease.unlock()).rejects.toThrow(LockLostError)
  } finally {
    await second.stop()
  }
})
