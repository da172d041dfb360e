import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, confirmed, ended, fault, killed, lock } from './short-events.js'

const recoveryMs = 10

function conflicts(...events: HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const found = checkHistory(events, { recoveryMs }).filter(({ promise }) => promise === 'exclusion')
  return found.map((violation) => violation.events)
}

it('two holds of one lock at once are reported with the owners, the time and the events', () => {
  const a = acquired(0, 'a1', 100)
  const b = acquired(60, 'b1', 160)
  expect(checkHistory([a, b])).toEqual([
    {
      promise: 'exclusion',
      lock,
      message: 'A (owner a1) and B (owner b1) held job at once for 40.0 ms',
      events: [a, b],
    },
  ])
})

it('holds of two locks do not exclude each other', () =>
  expect(conflicts(acquired(0, 'a1'), acquired(1, 'b1', null, { lock: 'other' }))).toEqual([]))

it('three holds at once are three conflicts', () =>
  expect(conflicts(acquired(0, 'a1'), acquired(1, 'b1'), acquired(2, 'c1'))).toHaveLength(3))

it('two holds that overlap twice are one conflict', () =>
  expect(conflicts(acquired(0, 'a1', 10), acquired(5, 'b1', 50), confirmed(20, 'a1', 30))).toHaveLength(1))

describe('a hold ends', () => {
  it('the instant its last call leaves', () => {
    const a = [acquired(0, 'a1'), ended('left', 50, 'a1')]
    expect(conflicts(...a, acquired(50, 'b1'))).toEqual([])
    expect(conflicts(...a, acquired(49.9, 'b1'))).toHaveLength(1)
  })

  it('not when a nested call leaves', () => {
    const a = [acquired(0, 'a1'), acquired(10, 'a1', null, { call: 'a2', count: 2 })]
    const left = [ended('left', 20, 'a1', 'a2'), ended('left', 40, 'a1')]
    expect(conflicts(...a, ...left, acquired(30, 'b1'))).toHaveLength(1)
    expect(conflicts(...a, ...left, acquired(40, 'b1'))).toEqual([])
  })

  it('not when the outer call leaves before the nested one', () => {
    const a = [acquired(0, 'a1'), acquired(10, 'a1', null, { call: 'a2', count: 2 })]
    const left = [ended('left', 20, 'a1'), ended('left', 40, 'a1', 'a2')]
    expect(conflicts(...a, ...left, acquired(30, 'b1'))).toHaveLength(1)
    expect(conflicts(...a, ...left, acquired(40, 'b1'))).toEqual([])
  })

  it('when its loss is reported', () => {
    const a = [acquired(0, 'a1'), ended('lost', 20, 'a1'), ended('left', 40, 'a1')]
    expect(conflicts(...a, acquired(20, 'b1'))).toEqual([])
    expect(conflicts(...a, acquired(19, 'b1'))).toHaveLength(1)
  })

  it('when its process finds that it is lost', () => {
    const a = [acquired(0, 'a1'), ended('loss-found', 20, 'a1'), ended('lost', 40, 'a1')]
    expect(conflicts(...a, acquired(20, 'b1'))).toEqual([])
    expect(conflicts(...a, acquired(19, 'b1'))).toHaveLength(1)
  })

  it('when its process is killed, and not when another is', () => {
    expect(conflicts(acquired(0, 'a1'), killed(20, 'A'), acquired(20, 'b1'))).toEqual([])
    expect(conflicts(acquired(0, 'a1'), killed(20, 'A'), acquired(19, 'b1'))).toHaveLength(1)
    expect(conflicts(acquired(0, 'a1'), killed(20, 'C'), acquired(20, 'b1'))).toHaveLength(1)
  })

  it('when its claim expires', () => {
    expect(conflicts(acquired(0, 'a1', 50), acquired(50, 'b1'))).toEqual([])
    expect(conflicts(acquired(0, 'a1', 50), acquired(49, 'b1'))).toHaveLength(1)
  })

  it('for another process of the same name only once that one is killed too', () => {
    const events = [acquired(0, 'a1'), killed(10, 'A'), acquired(20, 'a2'), acquired(30, 'b1')]
    expect(conflicts(...events)).toHaveLength(1)
    expect(conflicts(...events, killed(25, 'A'))).toEqual([])
  })
})

describe('a claim', () => {
  it('is as long as the longest one made', () => {
    const a = acquired(0, 'a1', 50)
    expect(conflicts(a, confirmed(30, 'a1', 80), acquired(70, 'b1'))).toHaveLength(1)
    expect(conflicts(a, confirmed(30, 'a1', 80), acquired(80, 'b1'))).toEqual([])
    expect(conflicts(a, confirmed(30, 'a1', 40), acquired(45, 'b1'))).toHaveLength(1)
  })

  it('made again after it expired counts from then on', () => {
    const a = [acquired(0, 'a1', 50), confirmed(80, 'a1', 100)]
    expect(conflicts(...a, acquired(50, 'b1'), ended('left', 80, 'b1'))).toEqual([])
    expect(conflicts(...a, acquired(50, 'b1'), ended('left', 81, 'b1'))).toHaveLength(1)
    expect(conflicts(...a, acquired(99, 'b1'))).toHaveLength(1)
  })

  it('made again after others entered is reported with its own hold first', () => {
    const a = acquired(0, 'a1', 50)
    const again = confirmed(80, 'a1', 100)
    const b = acquired(60, 'b1')
    expect(conflicts(a, again, b)).toEqual([[a, b, again]])
  })

  it('that had expired when it was recorded does not count', () => {
    expect(conflicts(acquired(0, 'b1'), acquired(60, 'a1', 60))).toEqual([])
    expect(conflicts(acquired(0, 'b1'), acquired(60, 'a1', 61))).toHaveLength(1)
  })

  it('that ended in the instant it was made does not count', () =>
    expect(conflicts(acquired(0, 'a1'), acquired(10, 'b1'), ended('lost', 10, 'b1'))).toEqual([]))

  it('made after a reported loss counts', () => {
    const a = [acquired(0, 'a1', 100), ended('lost', 20, 'a1')]
    expect(conflicts(...a, acquired(30, 'b1'))).toEqual([])
    expect(conflicts(...a, acquired(30, 'b1'), confirmed(40, 'a1', 60))).toHaveLength(1)
    expect(conflicts(...a, confirmed(40, 'a1', 60), acquired(60, 'b1'))).toEqual([])
  })

  it('made after all calls left does not count', () => {
    const a = [acquired(0, 'a1', 100), ended('left', 20, 'a1'), confirmed(40, 'a1', 100)]
    expect(conflicts(...a, acquired(30, 'b1'))).toEqual([])
  })

  it('of a re-entry that overlapped the last leave continues', () => {
    const a = [acquired(0, 'a1', 100), ended('left', 20, 'a1')]
    const again = acquired(21, 'a1', 90, { call: 'a2', count: 2 })
    expect(conflicts(...a, again, acquired(95, 'b1'))).toHaveLength(1)
    expect(conflicts(...a, again, acquired(100, 'b1'))).toEqual([])
  })
})

it('an owner that enters twice as if for the first time has two holds', () =>
  expect(conflicts(acquired(0, 'a1'), acquired(1, 'a1', null, { call: 'a2' }))).toHaveLength(1))

describe('a fault that excuses exclusion', () => {
  const excuses = ['exclusion'] as const

  it('excuses what began with it or later', () => {
    const holds = [acquired(0, 'a1'), acquired(50, 'b1')]
    expect(conflicts(...holds, ...fault(50, 60, { excuses }))).toEqual([])
    expect(conflicts(...holds, ...fault(51, 60, { excuses }))).toHaveLength(1)
  })

  it('excuses a hold for as long as it lasts', () =>
    expect(conflicts(acquired(0, 'a1'), ...fault(50, 60, { excuses }), acquired(9_000, 'b1'))).toEqual([]))

  it('excuses holds from until it is recovered from, and none from later', () => {
    const events = fault(50, 60, { excuses })
    expect(conflicts(...events, acquired(70, 'a1'), acquired(90, 'b1'))).toEqual([])
    expect(conflicts(...events, acquired(70.1, 'a1'), acquired(90, 'b1'))).toHaveLength(1)
  })

  it('excuses the earlier of two, whichever claim the conflict begins with', () => {
    const a = [acquired(0, 'a1', 20), confirmed(90, 'a1', 200)]
    expect(conflicts(...a, ...fault(50, 60, { excuses }), acquired(80, 'b1'))).toEqual([])
  })

  it('excuses everything after it while it is not healed', () => {
    expect(conflicts(...fault(50, null, { excuses }), acquired(5_000, 'a1'), acquired(9_000, 'b1'))).toEqual(
      [],
    )
  })

  it('excuses only the locks that it names', () => {
    const holds = [acquired(0, 'a1'), acquired(55, 'b1')]
    expect(conflicts(...holds, ...fault(50, 60, { excuses, locks: ['other', lock] }))).toEqual([])
    expect(conflicts(...holds, ...fault(50, 60, { excuses, locks: ['other'] }))).toHaveLength(1)
  })

  it('is not one that excuses tokens', () => {
    const holds = [acquired(0, 'a1'), acquired(55, 'b1')]
    expect(conflicts(...holds, ...fault(50, 60, { excuses: ['tokens'] }))).toHaveLength(1)
  })

  it('is healed by its own id, and by what came after it', () => {
    const holds = [acquired(80, 'a1'), acquired(90, 'b1')]
    const others: HistoryEvent[] = [
      { kind: 'healed', atMs: 61, id: 'g' },
      { kind: 'healed', atMs: 40, id: 'f' },
    ]
    expect(conflicts(...holds, ...fault(50, 75, { excuses }), ...others)).toEqual([])
  })
})
