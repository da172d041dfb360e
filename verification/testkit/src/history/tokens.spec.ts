import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, requested, ended, fault, lock } from './short-events.js'

/** A hold of 5 ms. */
function held(atMs: number, owner: string, token: number | null): HistoryEvent[] {
  return [acquired(atMs, owner, atMs + 5, { token }), ended('left', atMs + 5, owner)]
}

function broken(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), { recoveryMs: 10 })
    .filter(({ promise }) => promise === 'tokens')
    .map(({ message }) => message)
}

it('growing tokens are correct, with or without gaps', () =>
  expect(broken(held(0, 'a1', 1), held(10, 'b1', 2), held(20, 'a2', 9))).toEqual([]))

it('a smaller token is reported with the earlier, larger one', () => {
  expect(broken(held(0, 'a1', 5), held(10, 'b1', 4))).toEqual([
    'B was granted job with token 4, after A with 5',
  ])
})

it('the same token twice is not growth', () =>
  expect(broken(held(0, 'a1', 5), held(10, 'b1', 5))).toHaveLength(1))

it('every hold is compared with the largest earlier token', () => {
  expect(broken(held(0, 'a1', 9), held(10, 'b1', 4), held(20, 'c1', 6))).toEqual([
    'B was granted job with token 4, after A with 9',
    'C was granted job with token 6, after A with 9',
  ])
})

it('locks are independent of each other', () =>
  expect(broken(held(0, 'a1', 5), acquired(10, 'b1', 20, { token: 4, lock: 'other' }))).toEqual([]))

it('holds without a token are ignored', () => {
  expect(broken(held(0, 'a1', 5), held(10, 'b1', null), held(20, 'c1', 5))).toEqual([
    'C was granted job with token 5, after A with 5',
  ])
})

it('a hold whose claim had expired when it was recorded is ignored', () => {
  expect(broken(held(0, 'a1', 5), acquired(10, 'b1', 10, { token: 4 }))).toEqual([])
  expect(broken(acquired(0, 'b1', 0, { token: 9 }), held(10, 'a1', 5))).toEqual([])
})

it('of two holds that overlap, the one recorded later may have been granted first', () => {
  const both = [acquired(10, 'a1', 50, { token: 5 }), acquired(11, 'b1', 50, { token: 4 })]
  expect(broken(requested(0, 'a1'), requested(1, 'b1'), both)).toEqual([])
})

it('where exclusion was excused, a hold that had ended may still have been granted after the one recorded later', () => {
  const story = [requested(0, 'a1'), requested(1, 'b1'), ...held(10, 'a1', 5), ...held(20, 'b1', 4)]
  expect(broken(story)).toHaveLength(1)
  expect(broken(fault(2, null, { excuses: ['exclusion'] }), story)).toEqual([])
})

it('a hold that was requested after the other was recorded cannot have been granted first', () => {
  const both = [acquired(10, 'a1', 50, { token: 5 }), acquired(12, 'b1', 50, { token: 4 })]
  expect(broken(requested(0, 'a1'), requested(11, 'b1'), both)).toHaveLength(1)
})

it('a hold with a smaller token than one still live is not forgotten', () => {
  const overlapping = [acquired(10, 'b1', 50, { token: 10 }), acquired(12, 'c1', 50, { token: 8 })]
  expect(broken(requested(6, 'b1'), requested(7, 'c1'), held(0, 'a1', 9), overlapping)).toEqual([
    'C was granted job with token 8, after A with 9',
  ])
})

describe('a re-entry', () => {
  const outer = acquired(0, 'a1', 50, { token: 5 })

  function inner(token: number | null) {
    return acquired(10, 'a1', 50, { call: 'a2', count: 2, token })
  }

  it('has the token of its hold', () => {
    expect(broken(outer, inner(5))).toEqual([])
    expect(broken(outer, inner(6))).toEqual(['A re-entered job with token 6, in a hold with token 5'])
  })

  it('without a token is not a contradiction', () => {
    expect(broken(outer, inner(null))).toEqual([])
    expect(broken(acquired(0, 'a1', 50), inner(6))).toEqual([])
  })

  it('is excused by a fault during its hold', () => {
    expect(broken(outer, inner(6), ...fault(10, 20, { excuses: ['tokens'] }))).toEqual([])
    expect(broken(outer, inner(6), ...fault(11, 20, { excuses: ['tokens'] }))).toHaveLength(1)
  })
})

describe('a fault that excuses tokens', () => {
  const excuses = ['tokens'] as const

  it('excuses a smaller token after it, however late', () => {
    expect(broken(held(0, 'a1', 9), fault(10, 20, { excuses }), held(900, 'b1', 5))).toEqual([])
    expect(broken(held(0, 'a1', 9), fault(900, 920, { excuses }), held(900, 'b1', 5))).toEqual([])
  })

  it('does not excuse earlier conflicts', () =>
    expect(broken(held(0, 'a1', 9), held(10, 'b1', 5), fault(11, 20, { excuses }))).toHaveLength(1))

  it('does not excuse two holds after it was recovered from', () => {
    expect(broken(fault(10, 20, { excuses }), held(30, 'a1', 9), held(40, 'b1', 5))).toEqual([])
    expect(broken(fault(10, 20, { excuses }), held(30.1, 'a1', 9), held(40, 'b1', 5))).toHaveLength(1)
  })

  it('forgets the largest token, and no other', () => {
    const events = [held(0, 'a1', 9), fault(10, 20, { excuses }), held(40, 'b1', 5), held(50, 'c1', 4)]
    expect(broken(...events)).toEqual(['C was granted job with token 4, after B with 5'])
  })

  it('excuses only the locks that it names, and is not one that excuses exclusion', () => {
    const holds = [requested(0, 'a1'), held(0, 'a1', 9), requested(14, 'b1'), held(15, 'b1', 5)]
    expect(broken(...holds, fault(10, 20, { excuses, locks: [lock] }))).toEqual([])
    expect(broken(...holds, fault(10, 20, { excuses, locks: ['other'] }))).toHaveLength(1)
    expect(broken(...holds, fault(10, 20, { excuses: ['exclusion'] }))).toHaveLength(1)
  })
})
