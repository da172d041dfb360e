import { requestOf } from '../../test/support/recording-host.js'
import type { Notice, StepContext } from './hand-off.js'
import { freeShared, isSharedEmpty, settleShared, type SharedState } from './shared-state.js'
import * as steps from './shared-steps.js'

let state: SharedState
let nowUs: number
let deaf: Set<string>
let notices: Notice[]

beforeEach(() => {
  state = freeShared()
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
  settleShared(state, nowUs)
}

/** Of a semaphore of size 3. */
const acquire = (owner: string, count = 1, more = {}, tokenFloor = 0) =>
  steps.acquire(state, requestOf(owner, { count, size: 3, ...more }), context(tokenFloor))
const release = (owner: string, count = 0, tombstoneMs = 0) =>
  steps.release(state, { owner, count, tombstoneMs }, context())
const resize = (size: number, version = 0, id = `to ${size}`, keepMs = 60_000) =>
  steps.resize(state, { size, keepMs, version, id }, context())
const refresh = (owner: string) => steps.refresh(state, owner, 30_000, nowUs)
const inspect = () => steps.inspect(state, 10, nowUs)
const holders = () => Object.fromEntries([...state.holds].map(([owner, { permits }]) => [owner, permits]))
const granted = () => notices.map(({ kind, owner }) => `${kind} ${owner}`)

describe('acquire', () => {
  it('lets owners in while their permits fit, and queues the others', () => {
    expect(acquire('A', 2).kind).toBe('held')
    expect(acquire('B', 1).kind).toBe('held')
    expect(acquire('C', 1)).toEqual({
      kind: 'busy',
      ttlMs: 30_000,
      serverUs: nowUs,
      holder: 'A',
      position: 1,
    })
    expect(acquire('D', 1)).toMatchObject({ kind: 'busy', position: 2 })
    expect(acquire('E', 1, { entryTtlMs: 0 })).toMatchObject({ kind: 'busy', position: 0 })
  })

  it('changes nothing when it is repeated, and never shortens a lease', () => {
    const first = acquire('A', 2)
    acquire('B', 2)
    pass(1_000)
    expect(acquire('A', 2, { leaseMs: 5_000 })).toEqual(first)
    expect(acquire('B', 2)).toMatchObject({ position: 1, ttlMs: 29_000 })
    acquire('A', 2, { leaseMs: 90_000 })
    expect(inspect().holders).toEqual([{ owner: 'A', permits: 2, ttlMs: 90_000 }])
  })

  it('refuses a stray request for more than the owner holds, and one of an abandoned owner', () => {
    acquire('A', 3)
    release('A', 1)
    expect(acquire('A', 3)).toEqual({ kind: 'lost' })
    release('B', 0, 5_000)
    expect(acquire('B')).toEqual({ kind: 'abandoned' })
    pass(5_000)
    expect(acquire('B').kind).toBe('held')
  })

  it('after an expiry lets all in that fit, at its own position, with one token', () => {
    acquire('A', 3)
    for (const owner of ['B', 'C', 'D']) acquire(owner)
    acquire('E', 3)
    pass(20_000)
    for (const owner of ['B', 'C', 'D', 'E']) refresh(owner)
    pass(10_000)
    const reply = acquire('C')
    expect(reply.kind).toBe('held')
    expect(granted()).toEqual(['granted B', 'granted D'])
    expect(new Set([...state.holds.values()].map(({ token }) => token)).size).toBe(1)
    expect([...state.queue.keys()]).toEqual(['E'])
  })

  it('says when an entry that blocks will be stale, unless it is its own', () => {
    acquire('A', 2, { leaseMs: 90_000 })
    expect(acquire('B', 3, { entryTtlMs: 7_000 })).toMatchObject({ ttlMs: 90_000 })
    expect(acquire('C')).toMatchObject({ ttlMs: 7_000 })
    pass(7_000)
    expect(acquire('C').kind).toBe('held')
  })
})

describe('release', () => {
  it('gives back permits once, however often it runs, and never more than are left', () => {
    acquire('A', 3)
    acquire('B', 2)
    for (const _ of ['once', 'twice']) expect(release('A', 1)).toEqual({ kind: 'released' })
    expect(holders()).toEqual({ A: 1, B: 2 })
    expect(release('A', 2)).toEqual({ kind: 'released' })
    expect(holders()).toEqual({ A: 1, B: 2 })
    expect(release('C', 1)).toEqual({ kind: 'not-held' })
  })

  it('lets those in that wait behind an owner which gives up', () => {
    acquire('A', 2)
    acquire('B', 3)
    acquire('C', 1)
    expect(release('B')).toEqual({ kind: 'not-held' })
    expect(granted()).toEqual(['granted C'])
  })

  it('passes over a client that is not subscribed, which keeps its position', () => {
    acquire('A', 3)
    acquire('B', 3)
    acquire('C', 1)
    deaf.add('B')
    release('A')
    expect(granted()).toEqual(['granted C'])
    expect([...state.queue.keys()]).toEqual(['B'])
  })

  it('leaves nothing behind', () => {
    acquire('A')
    release('A')
    pass(60_000)
    expect(isSharedEmpty(state)).toBe(true)
  })
})

describe('resize', () => {
  it('beats the sizes that clients know until it runs out', () => {
    acquire('A', 3)
    acquire('B', 2)
    expect(resize(5, 0, 'a', 10_000)).toEqual({ kind: 'resized', version: 1, size: 5 })
    expect(holders()).toEqual({ A: 3, B: 2 })
    expect(acquire('C', 1)).toMatchObject({ kind: 'busy', ttlMs: 10_000 })
    release('B')
    pass(10_000)
    expect(acquire('D', 3)).toMatchObject({ kind: 'busy' })
    expect(inspect()).toMatchObject({ size: 0, version: 0 })
  })

  it('succeeds when it is repeated, and does not undo a newer one', () => {
    resize(5, 0, 'a')
    expect(resize(5, 0, 'a')).toEqual({ kind: 'resized', version: 1, size: 5 })
    resize(9, 1, 'b')
    expect(resize(5, 0, 'a')).toEqual({ kind: 'superseded', version: 2, size: 9 })
    expect(resize(7, 1, 'c')).toEqual({ kind: 'superseded', version: 2, size: 9 })
  })

  it('below what is held evicts nobody; those that want more than there is hold nobody up', () => {
    acquire('A', 2)
    resize(1)
    acquire('B', 2)
    acquire('C', 1)
    expect(holders()).toEqual({ A: 2 })
    release('A')
    expect(holders()).toEqual({ C: 1 })
    expect([...state.queue.keys()]).toEqual(['B'])
  })

  it('to 0 lets nobody in, and has nobody ask again soon', () => {
    resize(0)
    expect(acquire('A')).toMatchObject({ kind: 'busy', holder: '', ttlMs: 60_000 })
    expect(refresh('A')).toMatchObject({ state: 'waiting', ttlMs: 60_000 })
    resize(1, 1)
    expect(granted()).toEqual(['granted A'])
  })
})

describe('refresh', () => {
  it('has its client request at once when the first waiter fits or is stale', () => {
    acquire('A', 3, { leaseMs: 20_000 })
    acquire('B', 3, { entryTtlMs: 25_000 })
    acquire('C', 1)
    expect(refresh('C')).toEqual({ state: 'waiting', ttlMs: 20_000, holder: 'A', position: 2 })
    pass(20_000)
    expect(refresh('C')).toEqual({ state: 'waiting', ttlMs: -2 })
    acquire('D', 3)
    pass(25_000)
    expect(refresh('C').ttlMs).toBe(-2)
  })

  it('knows an owner that holds from one that has no entry', () => {
    acquire('A')
    expect([refresh('A').state, refresh('B').state]).toEqual(['granted', 'missing'])
  })
})

it('force evicts one owner, notifies it, and lets in those that fit', () => {
  acquire('A', 3)
  acquire('B', 1)
  expect(steps.force(state, 'A', context())).toEqual({ kind: 'released' })
  expect(steps.force(state, 'A', context())).toEqual({ kind: 'not-held' })
  expect(granted()).toEqual(['revoked A', 'granted B'])
})

it('renew extends a hold that has not ended', () => {
  acquire('A')
  expect(steps.renew(state, 'A', 60_000, nowUs)).toBe('renewed')
  pass(60_000)
  expect(steps.renew(state, 'A', 60_000, nowUs)).toBe('not-held')
})

it('inspect lists holders by end and waiters by position', () => {
  acquire('A', 1, { leaseMs: 50_000 })
  acquire('B', 2, { leaseMs: 10_000 })
  acquire('C', 3)
  expect(inspect()).toEqual({
    kind: 'shared',
    size: 0,
    version: 0,
    used: 3,
    holderCount: 2,
    holders: [
      { owner: 'B', permits: 2, ttlMs: 10_000 },
      { owner: 'A', permits: 1, ttlMs: 50_000 },
    ],
    token: nowUs + 1,
    waiterCount: 1,
    waiters: [{ owner: 'C', permits: 3, aliveMs: 30_000 }],
  })
})
