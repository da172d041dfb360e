import { linkedEngine } from '@holdfast/conformance'
import { Holdfast, InvalidArgumentError, LockLostError, NotOwnerError, type Lease } from '@holdfast/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store, label: 'Ann' })
  bob = new Holdfast({ engine: store, label: 'Bob' })
})

afterEach(async () => {
  await Promise.all([ann.close(), bob.close()])
  expect(store.leaks()).toEqual([])
})

const withinMs = 60_000

const ticketOf = async (lease: Lease): Promise<string> => lease.handOver({ withinMs })

describe('a lock that is handed over', () => {
  it('costs one step there and one here, and is never free in between', async () => {
    const lock = ann.getLock('order')
    await bob.getLock('other').withLock(() => undefined)
    const lease = await lock.lock()
    const before = store.commands
    const ticket = await ticketOf(lease)
    expect(store.commands - before).toBe(1)
    const taken = await bob.getLock('order').takeOver(ticket)
    expect(store.commands - before).toBe(2)
    expect(taken?.fencingToken).toBeGreaterThan(lease.fencingToken)
    expect(taken?.holdCount).toBe(1)
    await taken?.unlock()
  })

  it('is no longer the business of the client that handed it over', async () => {
    const events: string[] = []
    for (const name of ['acquired', 'released', 'lost', 'leaked'] as const)
      ann.on(name, () => events.push(name))
    const lease = await ann.getLock('order').lock()
    const { signal } = lease
    const ticket = await ticketOf(lease)
    expect(events).toEqual(['acquired', 'released'])
    expect(ann.stats()).toMatchObject({ holds: 0, released: 1, lost: 0 })
    await lease.unlock()
    await expect(lease.extend(1_000)).rejects.toBeInstanceOf(NotOwnerError)
    await expect(ticketOf(lease)).rejects.toBeInstanceOf(NotOwnerError)
    await ann.close()
    expect(await bob.getLock('order').tryLock()).toBeNull()
    store.advance(59_000)
    const taken = await bob.getLock('order').takeOver(ticket)
    expect(taken).not.toBeNull()
    expect(signal.aborted).toBe(false)
    await taken?.unlock()
  })

  it('shows who handed it over, and nothing from which to take it over', async () => {
    const ticket = await ticketOf(await ann.getLock('order').lock())
    const { holder } = await bob.getLock('order').inspect()
    expect(holder).toMatchObject({
      unattended: 'handed-over',
      client: { label: 'Ann' },
    })
    const shown = JSON.stringify([holder, store.leaks()])
    for (const part of ticket.split('.').slice(3)) expect(shown).not.toContain(part)
    const forged = ticket.replace(/[^.]+$/, holder?.owner.slice(-22) ?? '')
    expect(await bob.getLock('order').takeOver(forged)).toBeNull()
    expect(await bob.getLock('order').forceUnlock({ owner: holder?.owner ?? '' })).toBe(true)
    expect(await bob.getLock('order').takeOver(ticket)).toBeNull()
  })

  it('becomes free for the next waiter when its time is over', async () => {
    const ticket = await (await ann.getLock('order').lock()).handOver({ withinMs: 100 })
    const lease = await bob.getLock('order').lock()
    expect(await ann.getLock('order').takeOver(ticket)).toBeNull()
    await lease.unlock()
    expect(await ann.getLock('order').takeOver(ticket)).toBeNull()
  })

  it('is handed over again, and takes the options of an acquisition', async () => {
    const [mine, theirs] = [ann.getLock('order'), bob.getLock('order')]
    const first = await theirs.takeOver(await ticketOf(await mine.lock({ leaseMs: 5_000 })), {
      leaseMs: 2_000,
    })
    expect(first?.remainingMs()).toBeLessThanOrEqual(2_000)
    await first?.extend(3_000)
    const second = first && (await mine.takeOver(await ticketOf(first), { atLeastMs: 40_000 }))
    await second?.unlock()
    expect((await theirs.inspect()).holder).toMatchObject({ unattended: 'kept', client: { label: 'Ann' } })
    await theirs.forceUnlock()
    const abort = new AbortController()
    abort.abort(new Error('no more'))
    const ticket = await ticketOf(await mine.lock())
    await expect(theirs.takeOver(ticket, { signal: abort.signal })).rejects.toThrow('no more')
    await (await theirs.takeOver(ticket))?.unlock()
  })

  it('waits for an inner lease that is on its way out', async () => {
    const lock = ann.getLock('order')
    const lease = await lock.lock()
    const inner = await lease.run(() => lock.lock())
    const leaving = inner.unlock()
    const ticket = await ticketOf(lease)
    await leaving
    await (await bob.getLock('order').takeOver(ticket))?.unlock()
  })

  it('stays with its lease while an earlier command has no reply', async () => {
    const { engine, link } = linkedEngine(store)
    const holdfast = new Holdfast({ engine, commandTimeoutMs: 100 })
    holdfast.on('error', () => undefined).on('warning', () => undefined)
    const lock = holdfast.getLock('order')
    const lease = await lock.lock()
    const inner = await lease.run(() => lock.lock())
    link.blackHole('toClient')
    const leaving = inner.unlock()
    await expect(ticketOf(lease)).rejects.toThrow(
      'lock order was not handed over: an earlier command has had no reply. This lease is still open',
    )
    link.heal()
    await leaving
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
    await holdfast.close()
  })

  it('belongs to the scope that takes it over', async () => {
    const ticket = await ticketOf(await ann.getLock('order').lock())
    const lock = bob.getLock('order')
    await bob.scope(async () => {
      await lock.takeOver(ticket)
      expect(lock.isHeld()).toBe(true)
      await lock.withLock(({ holdCount }) => expect(holdCount).toBe(2))
      await lock.unlock()
    })
    expect(await lock.isLocked()).toBe(false)
  })

  it('was lost if its lease has ended before', async () => {
    const lease = await ann.getLock('order').lock({ leaseMs: 1_000 })
    store.advance(2_000)
    await expect(ticketOf(lease)).rejects.toBeInstanceOf(LockLostError)
    const next = await ann.getLock('order').lock()
    await bob.getLock('order').forceUnlock()
    await expect(ticketOf(next)).rejects.toBeInstanceOf(LockLostError)
  })
})

describe('what cannot be handed over is refused, and stays as it is', () => {
  const refused = async (lease: Lease, why: RegExp): Promise<void> => {
    const before = store.commands
    await expect(ticketOf(lease)).rejects.toThrow(why)
    await expect(ticketOf(lease)).rejects.toBeInstanceOf(InvalidArgumentError)
    expect(store.commands).toBe(before)
    expect(lease.isHeld).toBe(true)
  }

  it('a lease in whose hold a callback runs', async () => {
    const lock = ann.getLock('order')
    await lock.withLock((lease) => refused(lease, /a callback runs in its hold/))
    const lease = await lock.lock()
    await lease.run(() =>
      refused(lease, /a callback runs in its hold. Acquire it by lock\(\) or tryLock\(\)/),
    )
    await (await lock.takeOver(await ticketOf(lease)))?.unlock()
  })

  it('one of several leases of a hold', async () => {
    const lock = ann.getLock('order')
    await ann.scope(async () => {
      const outer = await lock.lock()
      const entering = lock.lock()
      await refused(outer, /its hold has another lease. Release that first/)
      const inner = await entering
      await refused(outer, /its hold has another lease. Release that first/)
      await refused(inner, /its hold has another lease. Release that first/)
      await inner.unlock()
      await (await lock.takeOver(await ticketOf(outer)))?.unlock()
    })
  })

  it('one that is to be held at least until later', async () => {
    const lease = await ann.getLock('order').lock({ atLeastMs: 60_000 })
    await refused(lease, /it has atLeastMs. Pass that to takeOver/)
    await lease.unlock()
    store.advance(61_000)
  })

  it('a read/write lock', async () => {
    const { read, write } = ann.getReadWriteLock('catalog')
    for (const lock of [read, write]) {
      const lease = await lock.lock()
      await refused(lease, /a (read|write)-lock of memory, or of a quorum, cannot be handed over: release it/)
      await expect(lock.takeOver('x')).rejects.toThrow(/cannot be handed over/)
      await lease.unlock()
    }
  })

  it('for no time, or with other options', async () => {
    const lease = await ann.getLock('order').lock()
    const before = store.commands
    await expect(lease.handOver({ withinMs: 99 })).rejects.toThrow('withinMs must be an integer from 100')
    await expect(lease.handOver({} as { withinMs: number })).rejects.toThrow('withinMs must be an integer')
    await expect(lease.handOver(undefined as never)).rejects.toThrow('options must be an object')
    const wrong: object = { withinMs, waitMs: 5 }
    await expect(lease.handOver(wrong as { withinMs: number })).rejects.toThrow("unknown option 'waitMs'")
    const ticket = 'holdfast-ticket'
    await expect(ann.getLock('order').takeOver(ticket)).rejects.toThrow(/not for lock order/)
    expect(store.commands).toBe(before)
    await lease.unlock()
  })

  it('to another lock, of which the ticket says nothing in errors', async () => {
    const ticket = await ticketOf(await ann.getLock('order').lock())
    const before = store.commands
    const failure = await ann.getLock('other').takeOver(ticket).catch(String)
    expect(failure).toMatch(
      /not for lock other: pass the one that handOver\(\) gave for the same name, prefix and engine/,
    )
    expect(failure).not.toContain(ticket.split('.')[3])
    const options: object = { waitMs: 5 }
    await expect(ann.getLock('order').takeOver(ticket, options)).rejects.toThrow("unknown option 'waitMs'")
    expect(store.commands).toBe(before)
    await (await ann.getLock('order').takeOver(ticket))?.unlock()
  })
})
