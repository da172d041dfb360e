import { AsyncLocalStorage } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { promisify } from 'node:util'
import { Holdfast, HoldfastQuorum, type Lease } from '@holdfast/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'
import {
  holdfastChannels,
  recordChannels,
  type ChannelMessage,
  type RecordedChannels,
} from '@holdfast/testkit'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast
let recorded: RecordedChannels

/** Promises of steps that are under way settle, though no timer rings. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

/** Past the first-use checks, and the messages about them. */
async function recordFromNow(onMessage?: (channel: string) => void): Promise<void> {
  for (const client of [ann, bob]) await client.getLock('first-use').withLock(() => undefined)
  recorded = recordChannels(holdfastChannels, onMessage)
}

/** The context of a caller, and what it is at each message of these channels from now on. */
async function contextsAt(channels: string) {
  const caller = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  await recordFromNow((name) => {
    if (name.startsWith(channels)) seen.push(caller.getStore())
  })
  return { caller, seen }
}

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store })
  bob = new Holdfast({ engine: store })
})

afterEach(async () => {
  jest.useRealTimers()
  await Promise.all([ann.close(), bob.close()])
  recorded.stop()
  // Of acquisitions that were aborted a tombstone is left for a while.
  expect(store.leaks().filter(({ kind }) => kind !== 'tombstone')).toEqual([])
})

it('a cycle publishes its acquisition, its hold and its release, each from start to end', async () => {
  await recordFromNow()
  const { owner } = await ann.getLock('order').withLock((lease) => lease)
  expect(recorded.order).toEqual([
    'acquire:start',
    'acquire:end',
    'hold:start',
    'hold:end',
    'acquire:asyncStart',
    'acquire:asyncEnd',
    'release:start',
    'release:end',
    'release:asyncStart',
    'release:asyncEnd',
    'hold:asyncStart',
    'hold:asyncEnd',
  ])
  const subject = { clientId: ann.clientId, engine: 'memory', name: 'order', kind: 'lock', owner }
  const [acquired] = recorded.on('acquire:asyncEnd')
  expect(acquired).toEqual({
    ...subject,
    contended: false,
    standby: false,
    outcome: 'acquired',
    waitedMs: expect.any(Number) as number,
  })
  expect(recorded.on('hold:start')[0]).toEqual({ ...subject, fencingToken: expect.any(Number) as number })
  expect(recorded.on('hold:asyncEnd')[0]).toMatchObject({
    ...subject,
    end: 'released',
    heldMs: expect.any(Number) as number,
  })
  expect(recorded.on('release:asyncEnd')[0]).toEqual({ ...subject, outcome: 'released' })
})

it('a nested call publishes nothing', async () => {
  await recordFromNow()
  const lock = ann.getLock('order')
  await lock.withLock(() => lock.withLock(() => undefined))
  for (const operation of ['acquire', 'hold', 'release']) {
    expect(recorded.on(`${operation}:start`)).toHaveLength(1)
  }
})

it('an acquisition that waits is contended from its first reply, and its grant is dated', async () => {
  await recordFromNow()
  const first = await ann.getLock('order').lock()
  const waits: { readonly contended?: unknown }[] = []
  const noteWait = (message: unknown): void => {
    if (typeof message === 'object' && message !== null) waits.push(message)
  }
  const start = 'tracing:holdfast:acquire:start'
  subscribe(start, noteWait)
  const waiting = bob.getLock('order').lock()
  unsubscribe(start, noteWait)
  expect(waits[0]?.contended).toBe(false)
  await settled()
  expect(waits[0]?.contended).toBe(true)
  await first.unlock()
  const second = await waiting
  expect(recorded.on('acquire:asyncEnd')[1]).toMatchObject({ outcome: 'acquired', contended: true })
  const [granted] = recorded.on('granted')
  expect(granted).toMatchObject({
    clientId: bob.clientId,
    engine: 'memory',
    name: 'order',
    owner: second.owner,
  })
  expect(granted?.['handOffMs']).toBeGreaterThanOrEqual(0)
  await second.unlock()
})

describe('how an acquisition ended', () => {
  const outcome = (): unknown => recorded.on('acquire:asyncEnd').at(-1)?.['outcome']
  let holder: Lease

  beforeEach(async () => {
    await recordFromNow()
    holder = await ann.getLock('order').lock()
  })

  afterEach(() => holder.unlock())

  it('busy: it was not to wait', async () => {
    await bob.getLock('order').tryLock()
    expect(outcome()).toBe('busy')
    expect(recorded.on('acquire:error')).toEqual([])
  })

  it('timeout: the holder kept it', async () => {
    await expect(bob.getLock('order').lock({ waitMs: 20 })).rejects.toThrow('timed out')
    expect(outcome()).toBe('timeout')
    expect(await bob.getLock('order').tryLock({ waitMs: 20 })).toBeNull()
    expect(outcome()).toBe('timeout')
  })

  it('aborted: by its signal', async () => {
    const abort = new AbortController()
    const waiting = bob.getLock('order').lock({ signal: abort.signal })
    abort.abort(new Error('changed my mind'))
    await expect(waiting).rejects.toThrow('changed my mind')
    expect(outcome()).toBe('aborted')
    expect(recorded.on('acquire:error')).toHaveLength(1)
  })

  it('closed: by the end of the client', async () => {
    const waiting = bob.getLock('order').lock()
    await settled()
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'CLOSED' }), bob.close()])
    expect(outcome()).toBe('closed')
  })

  it('unavailable: the store did not reply', async () => {
    store.disconnect()
    await expect(bob.getLock('order').tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(outcome()).toBe('unavailable')
    store.reconnect()
    await settled()
  })

  it('passed: a latch is open', async () => {
    const latch = bob.getCountDownLatch('ready')
    await latch.trySetCount(1)
    const waiting = latch.wait()
    await settled()
    await latch.countDown()
    await waiting
    expect(outcome()).toBe('passed')
    expect(recorded.on('hold:start')).toHaveLength(1)
  })
})

it('a multi lock is one acquisition with a hold for each member', async () => {
  await recordFromNow()
  const busy = await bob.getLock('b').lock()
  const waiting = ann.getMultiLock(['a', 'b', 'c']).withLock(() => undefined)
  await settled()
  await busy.unlock()
  await waiting
  const multi = recorded.on('acquire:asyncEnd').filter(({ kind }) => kind === 'multi-lock')
  expect(multi).toMatchObject([
    { name: 'b, c, a', clientId: ann.clientId, contended: true, outcome: 'acquired' },
  ])
  expect(recorded.on('acquire:start')).toHaveLength(2)
  const held = recorded.on('hold:asyncEnd').filter(({ clientId }) => clientId === ann.clientId)
  expect(held.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c'])
})

it('a multi lock that was contended remains so when an attempt ends with a loss and the next one finds all free', async () => {
  await recordFromNow()
  const busy = await bob.getLock('c').lock()
  const waiting = ann.getMultiLock(['a', 'b', 'c']).withLock(() => undefined)
  await settled()
  const lost = bob.getLock('b').forceUnlock()
  await busy.unlock()
  await lost
  await waiting
  expect(recorded.on('lost')).toMatchObject([{ name: 'b' }])
  const multi = recorded.on('acquire:asyncEnd').filter(({ kind }) => kind === 'multi-lock')
  expect(multi).toMatchObject([{ contended: true, outcome: 'acquired' }])
})

it('a quorum lock publishes one hold, and a renewal for each master', async () => {
  jest.useFakeTimers()
  const masters = [memory(), memory(), memory()].map((engine) => ({ engine }))
  const quorum = new HoldfastQuorum({ masters, restartQuarantineMs: 0 })
  recorded = recordChannels(holdfastChannels)
  const lease = await quorum.getLock('order').lock()
  await jest.advanceTimersByTimeAsync(12_000)
  await lease.unlock()
  expect(recorded.on('acquire:asyncEnd')).toMatchObject([{ owner: lease.owner, outcome: 'acquired' }])
  expect(recorded.on('hold:asyncEnd')).toMatchObject([{ owner: lease.owner, end: 'released' }])
  expect(recorded.on('release:asyncEnd')).toMatchObject([{ owner: lease.owner, outcome: 'released' }])
  expect(recorded.on('renew:asyncEnd')).toHaveLength(3)
  const closing = quorum.close()
  await jest.advanceTimersByTimeAsync(5_000)
  await closing
})

it('a loss ends the hold with its reason', async () => {
  await recordFromNow()
  const lease = await ann.getLock('order').lock()
  await bob.getLock('order').forceUnlock()
  await settled()
  const error = { code: 'LOCK_LOST', reason: 'revoked' }
  const { owner } = lease
  expect(recorded.on('hold:asyncEnd')).toMatchObject([{ owner, end: 'lost', reason: 'revoked', error }])
  expect(recorded.on('hold:error')).toHaveLength(1)
  expect(recorded.on('lost')).toMatchObject([{ owner, clientId: ann.clientId, error }])
  expect(recorded.on('revoked')).toMatchObject([{ owner, error }])
})

describe('renewals', () => {
  const margins = (): unknown[] =>
    recorded
      .on('renew:asyncEnd')
      .flatMap(({ holds }) => (Array.isArray(holds) ? holds.map(({ margin }: ChannelMessage) => margin) : []))

  it('say how much of the lease was left, per hold, in one message per command', async () => {
    jest.useFakeTimers()
    await recordFromNow()
    const leases = await Promise.all(['a', 'b'].map((name) => ann.getLock(name).lock()))
    await jest.advanceTimersByTimeAsync(10_500)
    const [renewal] = recorded.on('renew:asyncEnd')
    expect(renewal).toMatchObject({
      clientId: ann.clientId,
      engine: 'memory',
      count: 2,
      outcome: 'renewed',
      holds: [{ outcome: 'renewed' }, { outcome: 'renewed' }],
    })
    expect(recorded.on('renew:start')).toHaveLength(1)
    for (const margin of margins()) expect(margin).toBeCloseTo(0.65, 1)
    await Promise.all(leases.map((lease) => lease.unlock()))
  })

  it('that come late leave a smaller margin', async () => {
    jest.useFakeTimers()
    await recordFromNow()
    const lease = await ann.getLock('order').lock()
    await jest.advanceTimersByTimeAsync(9_000)
    store.disconnect()
    await jest.advanceTimersByTimeAsync(11_000)
    expect(recorded.on('renew:asyncEnd').at(-1)).toMatchObject({
      outcome: 'failed',
      holds: [{ outcome: 'unknown' }],
    })
    expect(margins()).not.toContainEqual(expect.any(Number))
    store.reconnect()
    await jest.advanceTimersByTimeAsync(1_000)
    const [margin] = margins().filter((one) => one !== undefined)
    expect(margin).toBeGreaterThan(0.2)
    expect(margin).toBeLessThan(0.4)
    await lease.unlock()
  })

  it('run outside the context of any caller', async () => {
    jest.useFakeTimers()
    const { caller, seen } = await contextsAt('renew:')
    const lease = await caller.run('the caller', () => ann.getLock('order').lock())
    await jest.advanceTimersByTimeAsync(10_500)
    expect(seen).toEqual([undefined, undefined, undefined, undefined])
    await lease.unlock()
  })
})

describe('the context', () => {
  it('of a hold is that of its call, even if another client released the lock', async () => {
    const { caller, seen } = await contextsAt('hold:start')
    const first = await caller.run('first', () => ann.getLock('order').lock())
    const waiting = caller.run('second', () => bob.getLock('order').lock())
    await settled()
    await caller.run('the release', () => first.unlock())
    await (await waiting).unlock()
    expect(seen).toEqual(['first', 'second'])
  })

  it.each([1, 2])(
    'of a hold of a multi lock of %i is that of its call, not that which a subscriber binds',
    async (count) => {
      const { caller: span, seen } = await contextsAt('hold:start')
      const { start } = tracingChannel<string, object>('holdfast:acquire')
      start.bindStore(span, () => 'the acquisition')
      const names = Array.from({ length: count }, (_, n) => `order${n}`)
      const lease = await span.run('the call', () => ann.getMultiLock(names).lock())
      start.unbindStore(span)
      await lease.unlock()
      expect(seen).toEqual(names.map(() => 'the call'))
    },
  )

  it('of a loss is that of no call', async () => {
    const { caller, seen } = await contextsAt('lost')
    const lease = await caller.run('the call', () => ann.getLock('order').lock())
    await caller.run('the eviction', () => bob.getLock('order').forceUnlock())
    await settled()
    expect(lease.isHeld).toBe(false)
    expect(seen).toEqual([undefined])
  })

  it('that a subscriber binds lasts for the acquisition and ends with it', async () => {
    await recordFromNow()
    const span = new AsyncLocalStorage<unknown>()
    const { start } = tracingChannel<unknown, object>('holdfast:acquire')
    start.bindStore(span, () => 'the acquisition')
    const signal = new AbortController().signal
    let inside: unknown
    signal.addEventListener = () => {
      inside = span.getStore()
    }
    const lease = await ann.getLock('order').lock({ signal })
    start.unbindStore(span)
    expect(inside).toBe('the acquisition')
    expect(span.getStore()).toBeUndefined()
    await lease.unlock()
  })
})

it('each error that no call waits for is published, where the event sums them up', async () => {
  await recordFromNow()
  const reported = jest.fn()
  ann.on('error', reported)
  const holder = await bob.getLock('order').lock()
  const waiting = Promise.allSettled([1, 2, 3].map(() => ann.getLock('order').lock({ waitMs: 500 })))
  await settled()
  store.disconnect()
  void Promise.allSettled([1, 2, 3].map((one) => ann.getLock(`other:${one}`).tryLock({ waitMs: 100 })))
  await settled()
  const errors = recorded.on('error')
  expect(errors.length).toBeGreaterThan(reported.mock.calls.length)
  expect(errors[0]).toMatchObject({ clientId: ann.clientId, error: { code: 'UNAVAILABLE' } })
  store.reconnect()
  await waiting
  await holder.unlock()
})

it('a subscriber that throws breaks no call: Node.js reports it as an uncaught exception', async () => {
  const program = `
    const { subscribe } = require('node:diagnostics_channel')
    const { Holdfast } = require('@holdfast/core')
    const { memory } = require('@holdfast/stores/memory')
    process.on('uncaughtException', (error) => console.log(error.message))
    subscribe('tracing:holdfast:hold:start', () => { throw new Error('a bad subscriber') })
    const holdfast = new Holdfast({ engine: memory() })
    holdfast.getLock('order').withLock(() => 'the result').then((result) => {
      console.log(result)
      return holdfast.close()
    })
  `
  recorded = recordChannels(holdfastChannels)
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { cwd: `${__dirname}/..` })
  expect(stdout.trim().split('\n').sort()).toEqual(['a bad subscriber', 'the result'])
})

it('a rejection that the caller handles is handled, though it was published', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  await recordFromNow()
  const holder = await ann.getLock('order').lock()
  const signal = AbortSignal.abort(new Error('no'))
  await expect(bob.getLock('order').lock({ signal })).rejects.toThrow('no')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(recorded.on('acquire:error')).toHaveLength(1)
  expect(unhandled).not.toHaveBeenCalled()
  await holder.unlock()
})
