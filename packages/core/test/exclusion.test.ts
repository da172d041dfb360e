import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { LockLostError, NotOwnerError } from '@holdfast/core'
import type { Holdfast, Lease, Lock } from '@holdfast/core'
import type { Redis } from 'ioredis'
import { closeAll, openHoldfast } from './support/clients.js'

let holdfast: Holdfast
let redis: Redis
let lock: Lock

beforeEach(() => {
  ;({ holdfast, redis } = openHoldfast(sharedRedisUrl()))
  lock = holdfast.getLock(uniqueName('exclusion'))
})

afterEach(closeAll)

const countsInRedis = async (): Promise<string[]> => Object.values(await redis.hgetall(`lock:${lock.name}`))

/** Lets other tasks run for a few turns of the event loop, with a round trip to Redis in between. */
const breathe = async (): Promise<void> => {
  await redis.ping()
}

/** A critical section that tells how many were in it at once. */
function witness() {
  let inside = 0
  const seen = { most: 0, entries: 0 }
  return {
    seen,
    visit: async (): Promise<void> => {
      inside++
      seen.entries++
      seen.most = Math.max(seen.most, inside)
      await breathe()
      inside--
    },
  }
}

describe('callers of one lock object', () => {
  test('50 concurrent callers in one process are inside one at a time', async () => {
    const { seen, visit } = witness()
    await Promise.all(Array.from({ length: 50 }, () => lock.withLock(visit)))
    expect(seen).toEqual({ most: 1, entries: 50 })
    expect(await countsInRedis()).toEqual([])
  })

  test('siblings that start outside a hold exclude each other', async () => {
    const { seen, visit } = witness()
    const other = holdfast.getLock('another')
    await other.withLock(() =>
      Promise.all([lock.withLock(visit), lock.withLock(visit), lock.withLock(visit)]),
    )
    expect(seen).toEqual({ most: 1, entries: 3 })
  })

  test('siblings that start inside a hold share it', async () => {
    const owners = await lock.withLock(async (outer) => {
      const inner = [1, 2, 3].map(() =>
        lock.withLock(async (lease) => {
          await breathe()
          return lease.owner
        }),
      )
      return [outer.owner, ...(await Promise.all(inner))]
    })
    expect(new Set(owners).size).toBe(1)
    expect(await countsInRedis()).toEqual([])
  })

  test('every outermost acquisition draws a fresh owner and a larger token', async () => {
    const leases: Lease[] = []
    for (let i = 0; i < 3; i++) await lock.withLock((lease) => leases.push(lease))
    expect(new Set(leases.map(({ owner }) => owner)).size).toBe(3)
    const tokens = leases.map(({ fencingToken }) => fencingToken)
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
    expect(new Set(tokens).size).toBe(3)
    expect(Math.max(...tokens)).toBeLessThan(2 ** 53)
  })
})

describe('nested calls', () => {
  test('three deep through several functions count 3, 2, 1, free', async () => {
    const counts: string[][] = []
    const note = async (): Promise<void> => {
      counts.push(await countsInRedis())
    }
    const readStock = () => lock.withLock(note)
    const reserve = async () => {
      await lock.withLock(async () => {
        await readStock()
        await note()
      })
    }
    await lock.withLock(async () => {
      await reserve()
      await note()
    })
    await note()
    expect(counts).toEqual([['3'], ['2'], ['1'], []])
  })

  test('all nested leases share owner, token and signal of the hold', async () => {
    await lock.withLock(async (outer) => {
      await lock.withLock((inner) => {
        expect(inner.owner).toBe(outer.owner)
        expect(inner.fencingToken).toBe(outer.fencingToken)
        expect(inner.holdCount).toBe(2)
        expect(lock.holdCount()).toBe(2)
      })
      expect(outer.holdCount).toBe(1)
    })
    expect(lock.holdCount()).toBe(0)
    expect(lock.isHeld()).toBe(false)
  })

  test('an inner lease that is longer-lived than the outer one keeps the hold', async () => {
    const outer = await lock.lock()
    const inner = await outer.run(() => lock.lock())
    await outer.unlock()
    expect(inner.isHeld).toBe(true)
    expect(await countsInRedis()).toEqual(['1'])
    await inner.unlock()
    expect(await lock.isLocked()).toBe(false)
  })

  test('an inner fixed lease does not shorten the outer lease, and neither does leaving it', async () => {
    await lock.withLock(async (outer) => {
      const before = await redis.pttl(`lock:${lock.name}`)
      expect(before).toBeGreaterThan(28_000)
      await lock.withLock({ leaseMs: 1000 }, async () => {
        expect(await redis.pttl(`lock:${lock.name}`)).toBeGreaterThan(28_000)
        expect(outer.remainingMs()).toBeGreaterThan(28_000)
      })
      expect(await redis.pttl(`lock:${lock.name}`)).toBeGreaterThan(28_000)
      expect(outer.remainingMs()).toBeGreaterThan(28_000)
    })
  })

  test('an inner watchdog lease extends a fixed outer one', async () => {
    await lock.withLock({ leaseMs: 500 }, async (outer) => {
      expect(outer.remainingMs()).toBeLessThan(500)
      await lock.withLock(() => {
        expect(outer.remainingMs()).toBeGreaterThan(28_000)
      })
    })
  })

  test('tryLock inside a hold re-enters', async () => {
    await lock.withLock(async () => {
      const lease = await lock.tryLock()
      expect(lease?.holdCount).toBe(2)
      await lease?.unlock()
    })
  })
})

describe('tasks that outlive the hold they began in', () => {
  test('a detached task gets no free pass', async () => {
    let detached: Promise<string> | undefined
    let goOn = (): void => undefined
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const first = await lock.withLock((lease) => {
      detached = gate.then(() => lock.withLock(({ owner, holdCount }) => `${owner}/${holdCount}`))
      return lease.owner
    })
    await using other = await lock.lock()
    goOn()
    await breathe()
    expect(other.isHeld).toBe(true)
    await other.unlock()
    const entered = await detached
    expect(entered).toMatch(/\/1$/)
    expect(entered).not.toContain(`${first}/`)
  })

  test('re-entry into an enclosing hold that was lost is refused', async () => {
    const rival = openHoldfast(sharedRedisUrl()).holdfast.getLock(lock.name)
    const failure = await lock
      .withLock(async () => {
        await rival.forceUnlock()
        await using _taken = await rival.lock()
        await lock.withLock(() => 'got in')
      })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LockLostError)
    expect(await lock.isLocked()).toBe(false)
  })
})

describe('leases outside withLock', () => {
  test('lock() outside withLock, run and scope is no frame: the next call waits', async () => {
    await using _lease = await lock.lock()
    expect(await lock.tryLock()).toBeNull()
    expect(lock.isHeld()).toBe(false)
  })

  test('a wait behind the own client says so', async () => {
    const lease = await lock.lock()
    const waiting = new Promise((resolve) => holdfast.on('waiting', resolve))
    const second = lock.lock()
    expect(await waiting).toMatchObject({ holder: lease.owner, behindOwnClient: true, position: 1 })
    await lease.unlock()
    await (await second).unlock()
  })

  test('run lets nested calls re-enter and takes no count', async () => {
    await using lease = await lock.lock()
    await lease.run(async () => {
      expect(lock.holdCount()).toBe(1)
      await lock.withLock((inner) => {
        expect(inner.owner).toBe(lease.owner)
        expect(inner.holdCount).toBe(2)
      })
    })
    expect(lease.holdCount).toBe(1)
  })

  test('unlocking twice leaves once', async () => {
    const outer = await lock.lock()
    const inner = await outer.run(() => lock.lock())
    await Promise.all([inner.unlock(), inner.unlock()])
    await inner.unlock()
    expect(await countsInRedis()).toEqual(['1'])
    await outer.unlock()
    expect(() => {
      outer.run(() => undefined)
    }).toThrow(NotOwnerError)
  })

  test('lock.unlock() without a scope is refused', async () => {
    await using _lease = await lock.lock()
    await expect(lock.unlock()).rejects.toBeInstanceOf(NotOwnerError)
    await lock.withLock({ waitMs: 0 }, () => undefined).catch(() => undefined)
    expect(await lock.isLocked()).toBe(true)
  })
})

describe('withLock', () => {
  test('answers with what the callback returned', async () => {
    expect(await lock.withLock(() => 42)).toBe(42)
  })

  test('rejects with what the callback threw, and releases', async () => {
    const failure = new Error('out of stock')
    await expect(
      lock.withLock(() => {
        throw failure
      }),
    ).rejects.toBe(failure)
    expect(await lock.isLocked()).toBe(false)
  })

  test('rejects with LockLostError that carries the result when the hold was lost meanwhile', async () => {
    const failure = await lock
      .withLock(async () => {
        await lock.forceUnlock()
        return 'done anyway'
      })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LockLostError)
    expect(failure).toMatchObject({ result: 'done anyway', reason: 'revoked', lockName: lock.name })
  })

  test("the callback's own error wins over the loss", async () => {
    const failure = new Error('mine')
    await expect(
      lock.withLock(async () => {
        await lock.forceUnlock()
        throw failure
      }),
    ).rejects.toBe(failure)
  })
})

describe('scope', () => {
  test('lock and unlock pair up across functions as in one thread', async () => {
    await holdfast.scope(async () => {
      const audit = async (): Promise<void> => {
        await lock.lock()
        expect(lock.holdCount()).toBe(2)
        await lock.unlock()
      }
      await lock.lock()
      await audit()
      expect(lock.holdCount()).toBe(1)
      expect(await countsInRedis()).toEqual(['1'])
      await lock.unlock()
      expect(await lock.isLocked()).toBe(false)
    })
  })

  test('two tasks of one scope share its hold instead of waiting for each other', async () => {
    await holdfast.scope(async () => {
      const leases = await Promise.all([lock.lock(), lock.lock(), lock.tryLock({ waitMs: 1000 })])
      expect(new Set(leases.map((lease) => lease?.owner)).size).toBe(1)
      expect(await countsInRedis()).toEqual(['3'])
      await lock.unlock()
      await lock.unlock()
      await lock.unlock()
    })
    expect(await lock.isLocked()).toBe(false)
  })

  test('two scopes exclude each other', async () => {
    const { seen, visit } = witness()
    const task = () =>
      holdfast.scope(async () => {
        await lock.lock()
        try {
          await visit()
        } finally {
          await lock.unlock()
        }
      })
    await Promise.all([task(), task(), task()])
    expect(seen).toEqual({ most: 1, entries: 3 })
  })

  test('unlock never undoes a withLock around the scope', async () => {
    await lock.withLock(async (outer) => {
      await holdfast.scope(async () => {
        await lock.lock()
        expect(outer.holdCount).toBe(2)
        await lock.unlock()
        await expect(lock.unlock()).rejects.toBeInstanceOf(NotOwnerError)
      })
      expect(outer.isHeld).toBe(true)
    })
  })

  test('what a scope still holds at its end is released and reported as leaked', async () => {
    const leaked: unknown[] = []
    holdfast.on('leaked', (event) => leaked.push(event))
    const lease = await holdfast.scope(() => lock.lock())
    expect(leaked).toEqual([{ name: lock.name, owner: lease.owner }])
    expect(await lock.isLocked()).toBe(false)
  })

  test('what a scope lost is told as lost, and not as leaked', async () => {
    const told: string[] = []
    holdfast.on('leaked', () => told.push('leaked'))
    holdfast.on('lost', () => told.push('lost'))
    await holdfast.scope(async () => {
      const lease = await lock.lock()
      await lock.forceUnlock()
      expect(lease.isHeld).toBe(false)
    })
    expect(told).toEqual(['lost'])
  })

  test('a lease that was unlocked by itself is not unlocked again by the scope', async () => {
    await holdfast.scope(async () => {
      await lock.lock()
      const inner = await lock.lock()
      await inner.unlock()
      expect(lock.holdCount()).toBe(1)
      await lock.unlock()
      await expect(lock.unlock()).rejects.toBeInstanceOf(NotOwnerError)
    })
  })

  test('a call that waits for its turn in a scope keeps its own time limit', async () => {
    const rival = openHoldfast(sharedRedisUrl()).holdfast.getLock(lock.name)
    const held = await rival.lock()
    await holdfast.scope(async () => {
      const patient = lock.lock()
      expect(await lock.tryLock({ waitMs: 100 })).toBeNull()
      await held.unlock()
      expect((await patient).isHeld).toBe(true)
      await lock.unlock()
    })
  })
})
