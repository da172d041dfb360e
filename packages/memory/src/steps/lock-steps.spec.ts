import { requestOf } from '../../test/support/recording-host.js'
import type { Notice, StepContext } from './hand-off.js'
import { freeLock, isEmpty, settle, type LockState } from './lock-state.js'
import * as steps from './lock-steps.js'

let state: LockState
let nowUs: number
let deaf: Set<string>
let notices: Notice[]

beforeEach(() => {
  state = freeLock()
  nowUs = 1_000_000_000
  deaf = new Set()
  notices = []
})

const context = (tokenFloor = 0): StepContext => ({
  nowUs,
  tokenFloor,
  isSubscribed: (owner) => !deaf.has(owner),
  notify: (notice) => notices.push(notice),
})

function pass(ms: number): void {
  nowUs += ms * 1_000
  settle(state, nowUs)
}

const acquire = (owner: string, more = {}, tokenFloor = 0) =>
  steps.acquire(state, requestOf(owner, more), context(tokenFloor))
const release = (owner: string, count = 0, tombstoneMs = 0) =>
  steps.release(state, { owner, count, tombstoneMs }, context())
const refresh = (owner: string, entryTtlMs = 30_000) => steps.refresh(state, owner, entryTtlMs, nowUs)
const inspect = () => steps.inspect(state, 10, nowUs)
const granted = () => notices.map(({ kind, owner }) => `${kind} ${owner}`)

function tokenOf(reply: ReturnType<typeof acquire>): number {
  if (reply.kind !== 'held') throw new Error(`expected a token, got ${reply.kind}`)
  return reply.token
}

describe('acquire', () => {
  it('lets the first owner in and queues the others in the order in which they came', () => {
    expect(acquire('A').kind).toBe('held')
    expect(acquire('B')).toEqual({ kind: 'busy', ttlMs: 30_000, serverUs: nowUs, holder: 'A', position: 1 })
    expect(acquire('C')).toMatchObject({ kind: 'busy', position: 2 })
  })

  it('does not queue an owner that does not want to wait', () => {
    acquire('A')
    expect(acquire('B', { entryTtlMs: 0 })).toMatchObject({ kind: 'busy', position: 0 })
    expect(inspect().waiterCount).toBe(0)
  })

  it('changes nothing when it is repeated', () => {
    const first = acquire('A')
    acquire('B')
    acquire('C')
    expect(acquire('A')).toEqual(first)
    expect(acquire('B')).toMatchObject({ position: 1 })
    expect(inspect()).toMatchObject({ owner: 'A', count: 1, waiterCount: 2 })
  })

  it('sets the count wanted and never shortens the lease', () => {
    acquire('A')
    pass(10_000)
    expect(acquire('A', { count: 3, leaseMs: 1_000 }).kind).toBe('held')
    expect(inspect()).toMatchObject({ count: 3, ttlMs: 20_000 })
    acquire('A', { count: 2, leaseMs: 40_000 })
    expect(inspect()).toMatchObject({ count: 2, ttlMs: 40_000 })
  })

  it('reports the loss to an owner that wants to re-enter and does not hold', () => {
    expect(acquire('A', { count: 2 })).toEqual({ kind: 'lost' })
    expect(isEmpty(state)).toBe(true)
  })

  it('lets the next one in when the lease has ended', () => {
    acquire('A')
    pass(29_999)
    expect(acquire('B', { entryTtlMs: 0 })).toMatchObject({ kind: 'busy', ttlMs: 1 })
    pass(1)
    expect(acquire('B').kind).toBe('held')
  })

  it('rounds the time for which the lock is held up, so that it is free when that has passed', () => {
    acquire('A')
    pass(0.001)
    expect(acquire('B')).toMatchObject({ ttlMs: 30_000 })
  })

  it('grants a live waiter that is ahead on a free lock before it queues the owner', () => {
    acquire('A')
    pass(20_000)
    acquire('B')
    pass(10_000)
    expect(acquire('C')).toMatchObject({ kind: 'busy', ttlMs: 20_000, holder: 'B', position: 1 })
    expect(granted()).toEqual(['granted B'])
  })

  it('lets a waiter in that requests a free lock itself, without a notification', () => {
    acquire('A')
    pass(20_000)
    acquire('B')
    pass(10_000)
    expect(acquire('B').kind).toBe('held')
    expect(inspect()).toMatchObject({ owner: 'B', waiterCount: 0 })
    expect(notices).toEqual([])
  })
})

describe('release', () => {
  it('frees the lock and leaves nothing but the fence', () => {
    acquire('A')
    expect(release('A')).toEqual({ kind: 'released' })
    expect(inspect()).toMatchObject({ owner: '', count: 0, ttlMs: -2, waiterCount: 0 })
    pass(60_000)
    expect(isEmpty(state)).toBe(true)
  })

  it('hands the lock to the first waiter, with the lease that its entry wants', () => {
    acquire('A')
    acquire('B')
    acquire('C')
    release('A')
    expect(notices).toEqual([
      {
        kind: 'granted',
        owner: 'B',
        proof: 'p',
        token: expect.any(Number) as number,
        leaseMs: 20_000,
        serverUs: nowUs,
      },
    ])
    expect(inspect()).toMatchObject({ owner: 'B', count: 1, ttlMs: 20_000, waiterCount: 1 })
  })

  it('lowers the count and keeps the lock', () => {
    acquire('A')
    acquire('A', { count: 2 })
    acquire('B')
    expect(release('A', 1)).toEqual({ kind: 'released' })
    expect(inspect()).toMatchObject({ owner: 'A', count: 1 })
    expect(notices).toEqual([])
  })

  it('of an owner that does not hold takes its queue entry and nothing else', () => {
    acquire('A')
    acquire('B')
    expect(release('B')).toEqual({ kind: 'not-held' })
    expect(inspect()).toMatchObject({ owner: 'A', waiterCount: 0 })
  })

  it('drops waiters whose time is over and passes over those that are not subscribed', () => {
    acquire('A')
    acquire('B', { entryTtlMs: 1_000 })
    acquire('C')
    acquire('D')
    deaf.add('C')
    pass(1_000)
    release('A')
    expect(granted()).toEqual(['granted D'])
    expect(inspect().waiters.map(({ owner }) => owner)).toEqual(['C'])
    deaf.clear()
    expect(acquire('E')).toMatchObject({ position: 2 })
    release('D')
    expect(granted()).toEqual(['granted D', 'granted C'])
  })

  it('has late requests of an abandoned owner refused until the tombstone ends', () => {
    acquire('A')
    release('A', 0, 5_000)
    release('A')
    pass(4_999)
    expect(acquire('A')).toEqual({ kind: 'abandoned' })
    pass(1)
    expect(acquire('A').kind).toBe('held')
  })
})

describe('force', () => {
  it('evicts the owner that is named, notifies it, and hands the lock on', () => {
    acquire('A')
    acquire('B')
    expect(steps.force(state, 'A', context())).toEqual({ kind: 'released' })
    expect(granted()).toEqual(['revoked A', 'granted B'])
  })

  it('leaves another holder alone', () => {
    acquire('A')
    expect(steps.force(state, 'B', context())).toEqual({ kind: 'not-held' })
    expect(inspect().owner).toBe('A')
  })
})

describe('renew', () => {
  it('extends the lease of the holder and never shortens it', () => {
    acquire('A')
    pass(20_000)
    expect(steps.renew(state, 'A', 30_000, nowUs)).toBe('renewed')
    expect(steps.renew(state, 'A', 1_000, nowUs)).toBe('renewed')
    expect(inspect().ttlMs).toBe(30_000)
  })

  it('does nothing for an owner that does not hold', () => {
    acquire('A')
    expect(steps.renew(state, 'B', 30_000, nowUs)).toBe('not-held')
  })
})

describe('refresh', () => {
  it('keeps a queue entry and its position', () => {
    acquire('A', { leaseMs: 100_000 })
    acquire('B')
    acquire('C')
    pass(20_000)
    expect(refresh('B')).toEqual({ state: 'waiting', ttlMs: 80_000, holder: 'A', position: 1 })
    pass(20_000)
    release('A')
    expect(granted()).toEqual(['granted B'])
  })

  it('says that the lock was granted, that it is free, or that there is no entry', () => {
    acquire('A', { leaseMs: 10_000 })
    expect(refresh('A')).toEqual({ state: 'granted', ttlMs: 10_000 })
    expect(refresh('B')).toEqual({ state: 'missing', ttlMs: 10_000 })
    acquire('B')
    pass(10_000)
    expect(refresh('B')).toEqual({ state: 'waiting', ttlMs: -2 })
  })
})

describe('fencing tokens', () => {
  it('grow with every grant, even within one microsecond', () => {
    const first = tokenOf(acquire('A'))
    acquire('B')
    release('A')
    release('B')
    const third = tokenOf(acquire('C'))
    expect(third).toBe(first + 2)
  })

  it('are larger than any that the client has seen, although the fence is gone', () => {
    const seen = tokenOf(acquire('A')) + 5_000_000_000
    release('A')
    pass(60_000)
    expect(tokenOf(acquire('B', {}, seen))).toBe(seen + 1)
  })

  it('are remembered for a minute after a grant, or for two leases', () => {
    const token = tokenOf(acquire('A', { leaseMs: 50_000 }))
    release('A')
    pass(99_999)
    expect(inspect().token).toBe(token)
    pass(1)
    expect(inspect().token).toBe(0)
  })
})

it('a queue of which all entries are past their time goes as a whole', () => {
  acquire('A', { leaseMs: 100_000 })
  acquire('B')
  acquire('C')
  pass(60_000)
  expect(inspect()).toMatchObject({ owner: 'A', waiterCount: 0 })
})
