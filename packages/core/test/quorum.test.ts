import { type MemoryStore } from '@holdfast/stores/memory'
import { until } from '@holdfast/testkit'
import { Holdfast, type HoldfastQuorum, type Lease, UnavailableError } from '../src/index.js'
import { closeAfterTest } from './support/clients.js'
import { openQuorumOn } from './support/quorum.js'
import { useStores } from './support/quorum-stores.js'

const stores = useStores()

const commands = (): number => stores.reduce((sum, store) => sum + store.commands, 0)

describe('a quorum lock', () => {
  it('excludes other clients, and passes on when it is released', async () => {
    const [a, b] = [openQuorumOn(stores), openQuorumOn(stores)]
    const first = await a.getLock('job').lock()
    expect(await b.getLock('job').tryLock()).toBeNull()
    const waiting = b.getLock('job').lock()
    await first.unlock()
    const second = await waiting
    expect([first.isHeld, second.isHeld]).toEqual([false, true])
    await second.unlock()
  })

  it('pings a majority of its masters, and names those that did not reply', async () => {
    const quorum = openQuorumOn(stores)
    for (const store of stores.slice(0, 2)) store.disconnect()
    await quorum.ping()
    stores[2]?.disconnect()
    await expect(quorum.ping()).rejects.toThrow(/3 of 5 are needed, and 3 failed \(master 1 \(memory\)/)
  })

  it('costs two commands per master and cycle', async () => {
    const lock = openQuorumOn(stores).getLock('job')
    await lock.withLock(() => undefined)
    const before = commands()
    await lock.withLock(() => undefined)
    expect(commands() - before).toBe(10)
  })

  it('is entered again without a command', async () => {
    const quorum = openQuorumOn(stores)
    const lock = quorum.getLock('job')
    await lock.withLock(async (outer) => {
      const before = commands()
      await lock.withLock((inner) =>
        expect([outer.holdCount, inner.owner, lock.holdCount()]).toEqual([2, outer.owner, 2]),
      )
      expect([lock.holdCount(), commands() - before]).toEqual([1, 0])
    })
    expect(lock.isHeld()).toBe(false)
  })

  it('extends its leases when an inner lease needs more', async () => {
    const lock = openQuorumOn(stores).getLock('job')
    await lock.withLock({ leaseMs: 1_000 }, async (outer) => {
      await lock.withLock({ leaseMs: 20_000 }, () => undefined)
      expect(outer.remainingMs()).toBeGreaterThan(15_000)
      await outer.extend(25_000)
      expect(outer.remainingMs()).toBeGreaterThan(20_000)
    })
  })

  it('keeps trying to extend them while the majority is out of reach, as long as the call waits', async () => {
    const quorum = openQuorumOn(stores)
    const failures: string[] = []
    quorum.on('error', ({ code }) => failures.push(code))
    const lock = quorum.getLock('job')
    await lock.withLock({ leaseMs: 10_000 }, async (outer) => {
      for (const store of stores.slice(0, 3)) store.disconnect()
      await expect(lock.tryLock({ leaseMs: 20_000 })).rejects.toThrow(UnavailableError)
      failures.length = 0
      const entering = lock.lock({ leaseMs: 20_000 })
      await until(() => failures.length > 0, { what: 'a failed attempt' })
      for (const store of stores) store.reconnect()
      const inner = await entering
      expect([outer.holdCount, outer.isHeld]).toEqual([2, true])
      expect(outer.remainingMs()).toBeGreaterThan(15_000)
      await inner.unlock()
    })
  })

  it('pairs lock and unlock in a scope, and releases what is left there', async () => {
    const quorum = openQuorumOn(stores)
    const lock = quorum.getLock('job')
    const leaked = jest.fn()
    quorum.on('leaked', leaked)
    await quorum.scope(async () => {
      await lock.lock()
      await lock.lock()
      await lock.unlock()
      expect(lock.holdCount()).toBe(1)
    })
    expect(leaked).toHaveBeenCalledTimes(1)
    expect(await lock.isLocked()).toBe(false)
  })

  describe('a call that begins inside a hold which is left before it is entered', () => {
    type Begin = (
      lock: ReturnType<HoldfastQuorum['getLock']>,
      quorum: HoldfastQuorum,
      work: (lease: Lease) => unknown,
    ) => Promise<unknown>
    const ways: [string, Begin][] = [
      [
        'by the end of a callback',
        async (lock, _, work) => {
          let inner: Promise<unknown> | undefined
          await lock.withLock(() => void (inner = lock.withLock(work)))
          await inner
        },
      ],
      [
        'by unlock in a scope',
        (lock, quorum, work) =>
          quorum.scope(async () => {
            await lock.lock()
            const inner = lock.withLock(work)
            await lock.unlock()
            await inner
          }),
      ],
      [
        'by unlock of its lease',
        async (lock, _, work) => {
          const outer = await lock.lock()
          const inner = outer.run(() => lock.lock())
          await outer.unlock()
          const lease = await inner
          await work(lease)
          await lease.unlock()
        },
      ],
    ]
    it.each(ways)('%s, waits for a hold of its own', async (_, begin) => {
      const [quorum, rival] = [openQuorumOn(stores), openQuorumOn(stores)]
      const lost = jest.fn()
      quorum.on('lost', lost)
      const work = jest.fn(async (lease: Lease) => {
        expect(lease.isHeld).toBe(true)
        expect(await rival.getLock('job').tryLock()).toBeNull()
      })
      await begin(quorum.getLock('job'), quorum, work)
      expect(work).toHaveBeenCalledTimes(1)
      expect(lost).not.toHaveBeenCalled()
      expect(await rival.getLock('job').isLocked()).toBe(false)
    })
  })

  it('times out with the holder and the position', async () => {
    const [a, b] = [openQuorumOn(stores), openQuorumOn(stores)]
    await a.getLock('job').withLock(async ({ owner }) => {
      await expect(b.getLock('job').lock({ waitMs: 50 })).rejects.toMatchObject({
        code: 'LOCK_TIMEOUT',
        holder: owner,
        position: 1,
      })
      expect(await b.getLock('job').tryLock({ waitMs: 20 })).toBeNull()
    })
  })

  it('times out with the present holder and position, not those it began behind', async () => {
    const [a, b, c] = [openQuorumOn(stores), openQuorumOn(stores), openQuorumOn(stores)]
    const first = await a.getLock('job').lock()
    const next = c.getLock('job').lock()
    await until(() => c.stats().waiters === 1)
    const held = new Promise<string>((resolve) => b.once('waiting', ({ holder }) => resolve(holder)))
    const failure = b
      .getLock('job')
      .lock({ waitMs: 2_000 })
      .catch((error: unknown) => error)
    expect(await held).toBe(first.owner)
    await first.unlock()
    const second = await next
    expect(await failure).toMatchObject({ code: 'LOCK_TIMEOUT', holder: second.owner, position: 1 })
    await second.unlock()
  })

  it('stops waiting when the signal aborts, and when the client closes', async () => {
    const [a, b] = [openQuorumOn(stores), openQuorumOn(stores)]
    const lease = await a.getLock('job').lock()
    const abort = new AbortController()
    const aborted = b.getLock('job').lock({ signal: abort.signal })
    const closed = b.getLock('job').lock()
    const results = Promise.allSettled([aborted, closed])
    await until(() => b.stats().waiters === 2)
    abort.abort(new Error('enough'))
    await b.close()
    expect(await results).toMatchObject([{ reason: { message: 'enough' } }, { reason: { code: 'CLOSED' } }])
    await lease.unlock()
    await expect(b.getLock('job').isLocked()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('aborts the signals of holders when the client closes', async () => {
    const quorum = openQuorumOn(stores)
    const { signal } = await quorum.getLock('job').lock()
    await quorum.close()
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' })
  })

  it('lets a holder acquire another lock while the client drains, and refuses calls from outside', async () => {
    const quorum = openQuorumOn(stores)
    let closing: Promise<void> | undefined
    const other = quorum.getLock('other')
    const value = await quorum.getLock('job').withLock(() => {
      closing = quorum.close({ drainMs: 20_000 })
      return other.withLock(() => other.isHeld())
    })
    await expect(other.lock()).rejects.toMatchObject({ code: 'CLOSED' })
    await closing
    expect(value).toBe(true)
  })

  it('can be evicted by force', async () => {
    const [a, b] = [openQuorumOn(stores), openQuorumOn(stores)]
    const { signal } = await a.getLock('job').lock()
    const lost = new Promise((resolve) => a.once('lost', resolve))
    expect(await b.getLock('job').forceUnlock()).toBe(true)
    expect(await lost).toMatchObject({ error: { reason: 'revoked' } })
    expect(signal.aborted).toBe(true)
    expect(await b.getLock('job').forceUnlock()).toBe(false)
  })

  it('shows who holds it and who waits, under the names that leases have', async () => {
    const [a, b] = [openQuorumOn(stores, { label: 'a' }), openQuorumOn(stores)]
    const lease = await a.getLock('job').lock()
    const waiting = b.getLock('job').lock()
    await until(() => b.stats().waiters === 1)
    const info = await b.getLock('job').inspect()
    expect(info).toMatchObject({
      isLocked: true,
      waiterCount: 1,
      holder: { owner: lease.owner, client: { label: 'a' } },
    })
    await lease.unlock()
    const { owner } = await waiting
    expect(info.waiters[0]?.owner).toBe(owner)
    await (await waiting).unlock()
  })

  it('refuses more waiters than maxWaiters', async () => {
    const [a, b] = [openQuorumOn(stores), openQuorumOn(stores, { maxWaiters: 1 })]
    const lease = await a.getLock('job').lock()
    const waiting = b.getLock('job').lock()
    await until(() => b.stats().waiters === 1)
    await expect(b.getLock('job').lock()).rejects.toMatchObject({ code: 'TOO_MANY_WAITERS' })
    expect(b.stats().waiters).toBe(1)
    await lease.unlock()
    await (await waiting).unlock()
    expect(b.stats().waiters).toBe(0)
  })

  it('reports what happens to it', async () => {
    const quorum = openQuorumOn(stores, { watchdogTimeoutMs: 3_000 })
    const names: string[] = []
    for (const event of ['acquired', 'renewed', 'released'] as const)
      quorum.on(event, () => names.push(event))
    const lease = await quorum.getLock('job').lock()
    await until(() => names.includes('renewed'))
    await lease.unlock()
    expect([names[0], names.at(-1)]).toEqual(['acquired', 'released'])
    expect(quorum.stats()).toMatchObject({ holds: 0, acquired: 1, released: 1, lost: 0 })
  })
})

describe('hazards', () => {
  it('split votes: a majority without the gate holds nothing, and keeps nothing', async () => {
    const quorum = openQuorumOn(stores)
    const [gate] = stores
    if (!gate) throw new Error('there is a gate')
    const other = await holdAlone(gate, { watchdogTimeoutMs: 20_000 })
    expect(await quorum.getLock('job').tryLock()).toBeNull()
    expect(await holdersOf('job')).toEqual([other.owner])
    const waiting = quorum.getLock('job').lock()
    await until(() => quorum.stats().waiters === 1)
    expect(await holdersOf('job')).toEqual([other.owner])
    await other.unlock()
    await (await waiting).unlock()
  })

  it('split votes: who has the gate keeps it while it waits for another master', async () => {
    const quorum = openQuorumOn(stores)
    const others = await Promise.all(
      stores.slice(1, 4).map((engine) => holdAlone(engine, { watchdogTimeoutMs: 20_000 })),
    )
    const waiting = quorum.getLock('job').lock()
    await until(() => quorum.stats().waiters === 1)
    expect(await holdersOf('job')).toHaveLength(4)
    for (const other of others) await other.unlock()
    await (await waiting).unlock()
  })

  it('is handed over at the cost of about ten commands per entry, however many contend', async () => {
    const clients = stores.flatMap(() => [openQuorumOn(stores), openQuorumOn(stores)]).slice(0, 8)
    const enter = (client: HoldfastQuorum) => client.getLock('job').withLock(() => undefined)
    await Promise.all(clients.map(enter))
    const before = commands()
    await Promise.all(
      clients.map(async (client) => {
        for (let i = 0; i < 20; i++) await enter(client)
      }),
    )
    expect((commands() - before) / 160).toBeLessThan(11)
  })

  it('a majority that lost its data is noticed at once, a minority changes nothing', async () => {
    const quorum = openQuorumOn(stores, { watchdogTimeoutMs: 3_000 })
    const lease = await quorum.getLock('job').lock()
    stores[0]?.failOver()
    stores[1]?.failOver()
    expect(lease.isHeld).toBe(true)
    await until(async () => (await holdersOf('job')).length === 5)
    for (const store of stores.slice(0, 3)) store.failOver()
    await until(() => lease.signal.aborted)
    expect(lease.signal.reason).toMatchObject({ reason: 'minority' })
  })

  it('a majority that is gone when a renewed hold is released is no fixed lease that ended', async () => {
    const quorum = openQuorumOn(stores.slice(0, 3))
    stores[0]?.disconnect()
    const left = quorum.getLock('job').withLock(() => stores[1]?.expire('job'))
    await expect(left).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'minority' })
  })

  it('masters in another order: costs time only', async () => {
    const three = stores.slice(0, 3)
    const orders = [
      three,
      [...three].reverse(),
      [three[1], three[2], three[0]].flatMap((store) => store ?? []),
    ]
    const clients = orders.map((order) => openQuorumOn(order, { watchdogTimeoutMs: 3_000 }))
    let inside = 0
    let entries = 0
    await Promise.all(
      clients.map(async (client) => {
        for (let i = 0; i < 10; i++) {
          await client.getLock('job').withLock(async () => {
            expect(++inside).toBe(1)
            await new Promise((resolve) => setImmediate(resolve))
            inside--
            entries++
          })
        }
      }),
    )
    expect(entries).toBe(30)
  })
})

describe('too few masters', () => {
  it('are named, with the reason', async () => {
    const quorum = openQuorumOn(stores)
    for (const store of stores.slice(1, 4)) store.disconnect()
    await expect(quorum.getLock('job').tryLock()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      lockName: 'job',
      message: expect.stringMatching(
        /3 of 5 are needed, and 3 failed \(master 2 .*master 3 .*master 4 /,
      ) as string,
    })
    const waiting = quorum.getLock('job').lock()
    stores[2]?.reconnect()
    await (await waiting).unlock()
  })

  it('end a limited wait on time', async () => {
    const quorum = openQuorumOn(stores)
    for (const store of stores.slice(1, 4)) store.disconnect()
    await expect(quorum.getLock('job').lock({ waitMs: 100 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('too few masters') as string,
    })
  })
})

/** A hold at one master alone, as a holder has it that nothing is heard of any more. */
async function holdAlone(
  engine: MemoryStore,
  { watchdogTimeoutMs }: { watchdogTimeoutMs: number },
): Promise<Lease> {
  const holdfast = new Holdfast({ engine, commandTimeoutMs: 300 }).on('error', () => undefined)
  closeAfterTest(() => holdfast.close())
  return holdfast.getLock('job').lock({ leaseMs: watchdogTimeoutMs })
}

/** Who holds a lock, master by master. */
async function holdersOf(name: string): Promise<string[]> {
  const owners = stores.map(async (engine) => {
    await using holdfast = new Holdfast({ engine })
    return (await holdfast.getLock(name).inspect()).holder?.owner
  })
  return (await Promise.all(owners)).flatMap((owner) => owner ?? [])
}
