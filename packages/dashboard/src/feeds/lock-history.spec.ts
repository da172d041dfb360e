import type { LockContent, LockHolder } from '../shared/payloads.js'
import { LockHistory } from './lock-history.js'

const process = { clientId: 'c', host: 'h', pid: 1, label: '' }
const holder = (owner: string, heldMs: number | null): LockHolder => ({
  owner,
  process,
  kind: 'lock',
  holdCount: 1,
  permits: 1,
  heldMs,
  remainingMs: 1_000,
})

const seen = (
  holders: readonly LockHolder[],
  waiterCount: number,
  holderCount = holders.length,
): Pick<LockContent, 'holders' | 'holderCount' | 'waiterCount'> => ({ holders, holderCount, waiterCount })

it('a hold begins when it was granted, not when it was first seen, and lasts at least until it was last seen', () => {
  const history = new LockHistory()
  history.add(10_000, seen([holder('c:1', 4_000)], 2))
  history.add(11_000, seen([holder('c:1', 5_000)], 1))
  history.add(12_000, seen([holder('c:2', 300)], 0))
  expect(history.entries).toMatchObject([
    { owner: 'c:2', from: 11_700, lastSeen: 12_000, isOver: false },
    { owner: 'c:1', from: 6_000, lastSeen: 11_000, isOver: true },
  ])
  expect(history.queueLengths.map(({ waiters }) => waiters)).toEqual([2, 1, 0])
})

it('a hold of a client that does not report begins when it was seen', () => {
  const history = new LockHistory()
  history.add(10_000, seen([holder('c:1', null)], 0))
  expect(history.entries[0]?.from).toBe(10_000)
})

it('what ended long ago is forgotten', () => {
  const history = new LockHistory()
  history.add(0, seen([holder('c:1', 0)], 0))
  history.add(1_000, seen([], 0))
  history.add(3_600_000, seen([], 0))
  expect(history.entries).toEqual([])
  expect(history.queueLengths).toHaveLength(1)
})

it('a holder that is not listed because there are so many has not left', () => {
  const history = new LockHistory()
  history.add(1_000, seen([holder('c:1', 0)], 0, 150))
  history.add(2_000, seen([holder('c:2', 0)], 0, 150))
  history.add(3_000, seen([holder('c:1', 2_000)], 0, 150))
  expect(history.entries.map(({ owner, isOver }) => [owner, isOver])).toEqual([
    ['c:2', false],
    ['c:1', false],
  ])
})
