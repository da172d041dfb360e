import { AsyncLocalStorage } from 'node:async_hooks'
import { ClosedError, InvalidArgumentError, UnavailableError } from '@holdfast/core/engine'
import { openClient, requestOf, type Client } from '../../test/memory/support/recording-host.js'
import { memory, type MemoryStore } from './index.js'

let store: MemoryStore
let ann: Client
let bob: Client

// Nothing of the store may depend on a timer, or on time.
beforeEach(async () => {
  jest.useFakeTimers()
  store = memory()
  ann = await openClient(store, 'ann')
  bob = await openClient(store, 'bob')
})

afterEach(() => jest.useRealTimers())

const acquire = ({ session, address }: Client, owner: string, more = {}) =>
  session.steps.acquire(address, requestOf(owner, more), 1_000)
const release = ({ session, address }: Client, owner: string, tombstoneMs = 0) =>
  session.steps.release(address, { owner, count: 0, tombstoneMs }, 1_000)
const inspect = ({ session, address }: Client) => session.steps.inspect(address, 10)

/** Until all that was under way has arrived. */
const arrival = ({ session }: Client) => session.registry.find('nobody')

describe('a store', () => {
  it('is shared by its own clients only', async () => {
    await acquire(ann, 'ann:1')
    expect(await acquire(bob, 'bob:1')).toMatchObject({ kind: 'busy', holder: 'ann:1' })
    const other = await openClient(memory(), 'eve')
    expect(await acquire(other, 'eve:1')).toMatchObject({ kind: 'held' })
  })

  it('notifies the next waiter when a lock is released', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    await release(ann, 'ann:1')
    await arrival(bob)
    expect(bob.host.log).toEqual(['granted x bob:1'])
  })

  it('delivers replies and notifications in the order in which things happened', async () => {
    await acquire(ann, 'ann:1')
    const order = bob.host.log
    const queued = acquire(bob, 'bob:1').then(() => order.push('first reply'))
    const released = release(ann, 'ann:1')
    const inspected = inspect(bob).then(() => order.push('second reply'))
    await Promise.all([queued, released, inspected])
    expect(order).toEqual(['first reply', 'granted x bob:1', 'second reply'])
  })

  it('delivers nothing before the call that brings it about has returned', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    const released = release(ann, 'ann:1')
    expect(bob.host.log).toEqual([])
    await released
  })

  it('notifies a client in the async context in which it was opened', async () => {
    const contexts = new AsyncLocalStorage<string>()
    const eve = await contexts.run('opening', () => openClient(store, 'eve'))
    const heardIn: (string | undefined)[] = []
    eve.host.granted = () => heardIn.push(contexts.getStore())
    await acquire(ann, 'ann:1')
    await acquire(eve, 'eve:1')
    await contexts.run('releasing', () => release(ann, 'ann:1'))
    await arrival(eve)
    expect(heardIn).toEqual(['opening'])
  })

  it('passes over the waiters of a closed client, which keep their entries', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    const eve = await openClient(store, 'eve')
    await acquire(eve, 'eve:1')
    await bob.session.close()
    await release(ann, 'ann:1')
    expect(await inspect(ann)).toMatchObject({ owner: 'eve:1', waiters: [{ owner: 'bob:1' }] })
  })

  it('knows who a client is until its registration expires', async () => {
    expect(await ann.session.registry.find('bob')).toEqual(bob.host.client)
    jest.advanceTimersByTime(30_000)
    expect(await ann.session.registry.find('bob')).toBeNull()
    await bob.session.registry.register()
    expect(await ann.session.registry.find('bob')).toEqual(bob.host.client)
  })

  it('counts the steps that it carried out', async () => {
    const before = store.commands
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    await release(ann, 'ann:1')
    await release(bob, 'bob:1')
    expect(store.commands - before).toBe(4)
  })

  it('renews and refreshes many in one step', async () => {
    await acquire(ann, 'ann:1')
    await acquire(ann, 'ann:2')
    const before = store.commands
    const { session, address } = ann
    const renewals = ['ann:1', 'ann:3'].map((owner) => ({ address, owner, leaseMs: 40_000 }))
    const entries = ['ann:1', 'ann:2'].map((owner) => ({ address, owner, entryTtlMs: 30_000 }))
    expect(await session.steps.renew(renewals, 1_000)).toEqual(['renewed', 'not-held'])
    expect(await session.steps.refresh(entries)).toEqual([
      { state: 'granted', ttlMs: 40_000 },
      { state: 'waiting', ttlMs: 40_000, holder: 'ann:1', position: 1 },
    ])
    expect(store.commands - before).toBe(2)
  })

  it('gives a client a larger token than it has seen, in a reply or a notification that was believed, although all was lost', async () => {
    const tokens: number[] = []
    const keep = async (client: Client, owner: string) => {
      const reply = await acquire(client, owner)
      if (reply.kind === 'held') tokens.push(reply.token)
    }
    bob.host.granted = (_id, _owner, { token }) => {
      bob.session.steps.noteToken?.(bob.address, token)
      tokens.push(token)
    }
    await keep(ann, 'ann:1')
    store.failOver()
    await keep(ann, 'ann:2')
    await keep(bob, 'bob:1')
    await release(ann, 'ann:2')
    await arrival(bob)
    store.failOver()
    await keep(bob, 'bob:2')
    expect(tokens).toEqual([0, 1, 2, 3].map((more) => (tokens[0] ?? 0) + more))
  })
})

describe('a closed client', () => {
  it('rejects what is under way and what comes', async () => {
    const underWay = acquire(ann, 'ann:1')
    const closing = ann.session.close()
    await expect(underWay).rejects.toThrow(ClosedError)
    await closing
    const before = store.commands
    await expect(acquire(ann, 'ann:2')).rejects.toThrow(ClosedError)
    expect(store.commands).toBe(before)
    await expect(ann.session.inbox.subscribe(ann.address)).rejects.toThrow(ClosedError)
  })

  it('receives nothing any more', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    const released = release(ann, 'ann:1')
    await bob.session.close()
    await released
    store.failOver()
    await arrival(ann)
    expect(bob.host.log).toEqual([])
  })
})

describe('advance', () => {
  it('ends what is due, and has holders check before waiters do', async () => {
    const order: string[] = []
    ann.host.reconnected = () => order.push('ann checks what it holds')
    bob.host.missed = () => order.push('bob checks how it waits')
    await acquire(ann, 'ann:1', { leaseMs: 10_000 })
    await acquire(bob, 'bob:1')
    store.advance(9_999)
    await arrival(ann)
    expect(order).toEqual(['bob checks how it waits'])
    store.advance(1)
    await arrival(bob)
    expect(order.slice(1)).toEqual(['ann checks what it holds', 'bob checks how it waits'])
    expect(await inspect(ann)).toMatchObject({ owner: '', ttlMs: -2 })
  })

  it.each([-1, NaN, Infinity, 5n, '5', undefined])('refuses %p ms', (ms) => {
    const advance = (): unknown => Reflect.apply(store.advance.bind(store), undefined, [ms])
    expect(advance).toThrow(InvalidArgumentError)
  })
})

describe('expire', () => {
  it('ends one hold and leaves the others', async () => {
    const other = bob.session.names.locate('y', 'lock')
    await acquire(ann, 'ann:1')
    await bob.session.steps.acquire(other, requestOf('bob:1'), 1_000)
    store.expire('x')
    await arrival(ann)
    expect([ann.host.log, bob.host.log]).toEqual([['reconnected'], []])
    expect(await inspect(ann)).toMatchObject({ owner: '' })
    expect(await bob.session.steps.inspect(other, 0)).toMatchObject({ owner: 'bob:1' })
  })

  it('does nothing to a free lock', async () => {
    store.expire('x')
    await arrival(ann)
    expect(ann.host.log).toEqual([])
  })
})

describe('disconnect', () => {
  it('rejects steps under way although they were carried out', async () => {
    const underWay = acquire(ann, 'ann:1')
    store.disconnect()
    await expect(underWay).rejects.toThrow(UnavailableError)
    store.reconnect()
    expect(await inspect(ann)).toMatchObject({ owner: 'ann:1' })
  })

  it('rejects the steps that follow without carrying them out', async () => {
    store.disconnect()
    const before = store.commands
    await expect(acquire(ann, 'ann:1')).rejects.toMatchObject({ code: 'UNAVAILABLE', engine: 'memory' })
    expect(store.commands).toBe(before)
  })

  it('loses notifications, and raises the epoch', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    const { connectionEpoch } = bob.session.store
    release(ann, 'ann:1').catch(() => undefined)
    store.disconnect()
    expect(bob.session.inbox.isSubscribed(bob.address)).toBe(false)
    expect(bob.session.store.connectionEpoch).toBe(connectionEpoch + 1)
    store.reconnect()
    expect(bob.session.inbox.isSubscribed(bob.address)).toBe(true)
    await arrival(bob)
    expect(bob.host.log).toEqual(['broken', 'unsubscribed', 'missed', 'reconnected'])
    expect(await inspect(bob)).toMatchObject({ owner: 'bob:1' })
  })

  it('keeps subscribers waiting', async () => {
    store.disconnect()
    let isSubscribed = false
    const subscribing = ann.session.inbox.subscribe(ann.address).then(() => (isSubscribed = true))
    await expect(arrival(ann)).rejects.toThrow(UnavailableError)
    expect(isSubscribed).toBe(false)
    store.reconnect()
    expect(await subscribing).toBe(true)
  })

  it('leaves it open whether the same store is there afterwards', async () => {
    const { session, address } = ann
    const before = await session.store.incarnation(address)
    expect(session.store.knownIncarnation(address)).toBe(before)
    store.disconnect()
    store.reconnect()
    expect(session.store.knownIncarnation(address)).toBeUndefined()
    expect(await session.store.incarnation(address)).toBe(before)
  })
})

describe('dropNextReply', () => {
  it('carries out one step whose caller gets no reply', async () => {
    store.dropNextReply()
    await expect(acquire(ann, 'ann:1')).rejects.toThrow(UnavailableError)
    expect(await acquire(ann, 'ann:1')).toMatchObject({ kind: 'held' })
    expect(await inspect(ann)).toMatchObject({ owner: 'ann:1', count: 1 })
  })
})

describe('failOver', () => {
  it('has an empty store of another incarnation take over', async () => {
    const { session, address } = ann
    const before = await session.store.incarnation(address)
    await acquire(ann, 'ann:1')
    store.failOver()
    await arrival(ann)
    expect(ann.host.log).toEqual(['broken', 'unsubscribed', 'missed', 'reconnected'])
    expect(await session.store.incarnation(address)).not.toBe(before)
    expect(await inspect(ann)).toMatchObject({ owner: '', token: 0 })
  })

  it('does not bring back a connection that was cut before', async () => {
    store.disconnect()
    store.failOver()
    await expect(inspect(ann)).rejects.toThrow(UnavailableError)
  })
})

describe('leaks', () => {
  it('lists what is left, and nothing once all is released, over and closed', async () => {
    await acquire(ann, 'ann:1')
    await acquire(bob, 'bob:1')
    await release(bob, 'bob:2', 5_000)
    expect(store.leaks()).toEqual([
      { kind: 'hold', lock: 'x', owner: 'ann:1', count: 1 },
      { kind: 'queue entry', lock: 'x', owner: 'bob:1' },
      { kind: 'tombstone', lock: 'x', owner: 'bob:2' },
      { kind: 'session', clientId: 'ann', label: '' },
      { kind: 'session', clientId: 'bob', label: '' },
    ])
    await release(bob, 'bob:1')
    await release(ann, 'ann:1')
    await Promise.all([ann.session.close(), bob.session.close()])
    jest.advanceTimersByTime(5_000)
    expect(store.leaks()).toEqual([])
  })
})

describe('a read/write lock or semaphore', () => {
  const semaphoreOf = ({ session, host }: Client) => {
    const address = session.names.locate('x', 'semaphore')
    return {
      acquire: (owner: string, count = 1) =>
        session.steps.acquire(address, requestOf(owner, { count, size: 2 }), 1_000),
      release: (owner: string) => session.steps.release(address, { owner, count: 0, tombstoneMs: 0 }, 1_000),
      inspect: () => session.steps.inspect(address, 10),
      host,
    }
  }

  it('is another object than a lock of that name, and an id leads back to each', () => {
    const { session } = ann
    const addresses = (['lock', 'semaphore', 'read-write-lock'] as const).map((object) =>
      session.names.locate('x', object),
    )
    expect(new Set(addresses.map(({ id }) => id)).size).toBe(3)
    expect(new Set(addresses.map(({ group }) => group)).size).toBe(2)
    for (const address of addresses) expect(session.names.resolve(address.id)).toEqual(address)
    expect(() => session.names.locate('x\0semaphore', 'lock')).toThrow(InvalidArgumentError)
  })

  it('notifies those that enter together, each under its id', async () => {
    const [first, second] = [semaphoreOf(ann), semaphoreOf(bob)]
    await first.acquire('ann:1', 2)
    await second.acquire('bob:1')
    await second.acquire('bob:2')
    await first.release('ann:1')
    await arrival(bob)
    const { id } = bob.session.names.locate('x', 'semaphore')
    expect(bob.host.log).toEqual([`granted ${id} bob:1`, `granted ${id} bob:2`])
    expect(await acquire(ann, 'ann:2')).toMatchObject({ kind: 'held' })
  })

  it('renews, refreshes, evicts and resizes', async () => {
    const { acquire: enter, host } = semaphoreOf(ann)
    const { session } = ann
    const address = session.names.locate('x', 'semaphore')
    await enter('ann:1', 2)
    await enter('ann:2')
    expect(await session.steps.renew([{ address, owner: 'ann:1', leaseMs: 40_000 }], 1_000)).toEqual([
      'renewed',
    ])
    const entry = { address, owner: 'ann:2', entryTtlMs: 30_000 }
    expect(await session.steps.refresh([entry])).toMatchObject([{ state: 'waiting', ttlMs: 40_000 }])
    const request = { size: 3, keepMs: 60_000, version: 0, id: 'a' }
    expect(await session.steps.resize?.(address, request, 1_000)).toEqual({
      kind: 'resized',
      version: 1,
      size: 3,
    })
    expect(await session.steps.force(address, 'ann:1')).toEqual({ kind: 'released' })
    await arrival(ann)
    expect(host.log).toEqual([`granted ${address.id} ann:2`, 'revoked ann:1'])
  })

  it('loses all its holds to expire, and is listed among the leaks', async () => {
    const { acquire: enter, inspect: read } = semaphoreOf(ann)
    await enter('ann:1')
    await enter('ann:2')
    await semaphoreOf(bob).acquire('bob:1')
    expect(store.leaks()).toMatchObject([
      { kind: 'hold', lock: 'x', object: 'semaphore', owner: 'ann:1', count: 1 },
      { kind: 'hold', lock: 'x', object: 'semaphore', owner: 'ann:2', count: 1 },
      { kind: 'queue entry', lock: 'x', object: 'semaphore', owner: 'bob:1' },
      { kind: 'session' },
      { kind: 'session' },
    ])
    store.expire('x')
    expect(await read()).toMatchObject({ used: 2 })
    store.expire('x', 'semaphore')
    await arrival(bob)
    expect(await read()).toMatchObject({ used: 0, holders: [] })
    expect(ann.host.log.at(-1)).toBe('reconnected')
    expect(bob.host.log.at(-1)).toBe(`missed ${bob.session.names.locate('x', 'semaphore').id}`)
    store.failOver()
    expect(store.leaks()).toMatchObject([{ kind: 'session' }, { kind: 'session' }])
  })
})
