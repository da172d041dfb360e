import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, ended, fault, refused, requested } from './short-events.js'

function violations(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), { recoveryMs: 10, slackMs: 20 }).map(({ message }) => message)
}

const token = (n: number) => ({ token: n })

describe('a lock that is handed over for 100 ms', () => {
  const handed = [
    requested(0, 'a1', { handsOverMs: 100 }),
    acquired(1, 'a1', 50, token(1)),
    ended('left', 10, 'a1'),
    ended('released', 11, 'a1'),
  ]
  const other = (atMs: number) => [requested(12, 'b1'), acquired(atMs, 'b1', null, token(9))]
  const taker = (owner: string, atMs: number) => requested(atMs, owner, { ticketOf: 'a1', waitMs: 0 })
  const takes = (owner: string, atMs: number, n: number) => [
    taker(owner, atMs),
    acquired(atMs + 1, owner, null, token(n)),
    ended('left', atMs + 2, owner),
    ended('released', atMs + 3, owner),
  ]

  it('is granted to no other before that', () => {
    expect(violations(handed, other(106))).toEqual([
      'B was granted job 1.0 ms before the end of what A has handed over',
    ])
    expect(violations(handed, other(107))).toEqual([])
    const evicted = fault(50, 51, { excuses: ['exclusion'] })
    expect(violations(handed, evicted, other(60))).toEqual([])
  })

  it('is granted to others as soon as it may have been taken over', () => {
    expect(violations(handed, takes('c1', 20, 2), other(30))).toEqual([])
    expect(violations(handed, taker('c1', 25), refused(35, 'c1', 'unavailable'), other(30))).toEqual([])
    expect(violations(handed, takes('d1', 20, 2), taker('c1', 25), refused(35, 'c1'), other(30))).toEqual([])
    expect(violations(handed, taker('c1', 105), refused(106, 'c1'), other(103))).toHaveLength(1)
  })

  it('is taken over once, by the first, before all that wait', () => {
    expect(violations(handed, takes('c1', 20, 2), takes('d1', 25, 3))).toEqual([
      'C and D both took over job from a1',
    ])
    expect(violations(handed, taker('c1', 20), refused(22, 'c1'))).toEqual([
      'C did not get job, which a1 has handed over to it',
    ])
    expect(violations(handed, taker('c1', 20), refused(22, 'c1'), takes('d1', 21, 2))).toEqual([])
    expect(violations(handed, taker('c1', 86), refused(88, 'c1'))).toEqual([])
  })

  it('has a larger token then', () => {
    expect(violations(handed, takes('c1', 20, 1))).toEqual(['C was granted job with token 1, after A with 1'])
  })
})

it('a lock that is held for at least 100 ms is granted to no other before that', () => {
  const kept = (grantedAtMs: number) => [
    requested(0, 'a1', { atLeastMs: 100 }),
    acquired(grantedAtMs, 'a1', null, token(2)),
    ended('left', grantedAtMs + 5, 'a1'),
    ended('released', grantedAtMs + 6, 'a1'),
  ]
  const before = [
    requested(-9, 'c1'),
    acquired(-8, 'c1', null, token(1)),
    ended('left', 40, 'c1'),
    ended('released', 40, 'c1'),
  ]
  const other = (atMs: number) => [requested(50, 'b1'), acquired(atMs, 'b1', null, token(3))]
  expect(violations(kept(1), other(96))).toEqual([
    'B was granted job 1.0 ms before the end of what A has kept',
  ])
  expect(violations(kept(1), other(97))).toEqual([])
  expect(violations(before, kept(41), other(136))).toHaveLength(1)
  expect(violations(before, kept(41), other(137))).toEqual([])
})
