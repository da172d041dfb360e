import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, fault, lock } from './short-events.js'

it('a count that differs from the server is reported, one that agrees is not', () => {
  const agreed: HistoryEvent = { kind: 'counted', atMs: 1, lock, owner: 'a1', atClient: 1, atServer: 1 }
  const differs: HistoryEvent = { ...agreed, owner: 'b1', atServer: 2 }
  expect(checkHistory([agreed, differs])).toEqual([
    { promise: 'counts', lock, message: 'owner b1 of job counts 1, the server 2', events: [differs] },
  ])
})

it('leftovers are reported', () => {
  const leftover: HistoryEvent = { kind: 'leftover', atMs: 1, lock, what: 'key job without TTL' }
  expect(checkHistory([leftover])).toEqual([
    { promise: 'leftovers', lock, message: 'job left behind: key job without TTL', events: [leftover] },
  ])
})

it('no fault excuses counts and leftovers', () => {
  const faults = fault(0, null, { excuses: ['exclusion', 'tokens'], disturbs: 'all' })
  const events: HistoryEvent[] = [
    { kind: 'counted', atMs: 1, lock, owner: 'a1', atClient: 1, atServer: 0 },
    { kind: 'leftover', atMs: 1, lock, what: 'a queue entry' },
  ]
  expect(checkHistory([...faults, ...events])).toHaveLength(2)
})

it('a history may be in any order; its violations are sorted by time', () => {
  const leftover: HistoryEvent = { kind: 'leftover', atMs: -1, lock, what: 'a queue entry' }
  const events = [acquired(30, 'c1'), acquired(10, 'b1', 20), acquired(0, 'a1', 40), leftover]
  expect(checkHistory(events).map(({ message }) => message)).toEqual([
    'job left behind: a queue entry',
    'A (owner a1) and B (owner b1) held job at once for 10.0 ms',
    'A (owner a1) and C (owner c1) held job at once for 10.0 ms',
  ])
})

it('a history without events breaks nothing', () => expect(checkHistory([])).toEqual([]))
