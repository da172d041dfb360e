import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import {
  acquired,
  confirmed,
  ended,
  fault,
  lowered,
  queued,
  refused,
  requested,
  resized,
  sized,
} from './short-events.js'
import { drawTimeline } from './timeline.js'
import type { Promised } from './violation.js'

/** What a writer takes of a read/write lock. */
const all = 1_000_000_000

function broken(promise: Promised, ...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), { recoveryMs: 10, slackMs: 20, handOffMs: 5 })
    .filter((violation) => violation.promise === promise)
    .map(({ message }) => message)
}

/** A hold of so many permits that begins then. */
function holds(atMs: number, owner: string, permits: number, token: number | null = null): HistoryEvent {
  return acquired(atMs, owner, null, { permits, token })
}

function wants(atMs: number, call: string, permits: number): HistoryEvent {
  return requested(atMs, call, { permits })
}

describe('exclusion of a read/write lock', () => {
  const object = sized(all)

  it('lets readers hold at once, and a writer alone', () => {
    expect(broken('exclusion', object, holds(0, 'a1', 1), holds(1, 'b1', 1), holds(2, 'c1', 1))).toEqual([])
    expect(
      broken('exclusion', object, holds(0, 'a1', all), ended('left', 5, 'a1'), holds(5, 'b1', 1)),
    ).toEqual([])
  })

  it('is broken by a writer beside a reader, in either order', () => {
    const message = 'A (owner a1) and B (owner b1) held job at once for 10.0 ms'
    const end = ended('left', 20, 'b1')
    expect(broken('exclusion', object, holds(0, 'a1', 1), holds(10, 'b1', all), end)).toEqual([message])
    expect(broken('exclusion', object, holds(0, 'a1', all), holds(10, 'b1', 1), end)).toEqual([message])
  })

  it('is broken by two writers, and for each reader beside a writer', () => {
    expect(broken('exclusion', object, holds(0, 'a1', all), holds(10, 'b1', all))).toHaveLength(1)
    const readers = [holds(0, 'a1', 1), holds(1, 'b1', 1)]
    expect(broken('exclusion', object, readers, holds(10, 'c1', all))).toHaveLength(2)
  })

  it('is that of a reader once the writer has left the write lock first', () => {
    const writer = [
      holds(0, 'a1', all),
      acquired(10, 'a1', null, { call: 'a2', count: 2, permits: 1 }),
      ended('left', 20, 'a1'),
    ]
    expect(broken('exclusion', object, writer, holds(20, 'b1', 1))).toEqual([])
    expect(broken('exclusion', object, writer, holds(19, 'b1', 1))).toHaveLength(1)
    expect(broken('exclusion', object, writer, holds(30, 'b1', all))).toHaveLength(1)
  })

  it('is broken by a reader that becomes a writer beside another', () => {
    const upgrade = acquired(10, 'a1', null, { call: 'a2', count: 2, permits: all })
    expect(broken('exclusion', object, holds(0, 'a1', 1), upgrade)).toEqual([])
    expect(broken('exclusion', object, holds(0, 'a1', 1), holds(5, 'b1', 1), upgrade)).toHaveLength(1)
  })

  it('is excused for each pair by itself', () => {
    const readers = [holds(0, 'a1', 1), holds(80, 'b1', 1)]
    const lost = fault(10, 20, { excuses: ['exclusion'] })
    expect(broken('exclusion', object, readers, lost, holds(90, 'c1', all))).toEqual([
      'B (owner b1) and C (owner c1) held job at once',
    ])
  })
})

describe('exclusion of a semaphore', () => {
  const object = sized(4)

  it('lets in as many as there are permits', () =>
    expect(broken('exclusion', object, holds(0, 'a1', 2), holds(1, 'b1', 1), holds(2, 'c1', 1))).toEqual([]))

  it('is broken by one permit more, and names all that hold', () => {
    const story = [holds(0, 'a1', 2), holds(1, 'b1', 1), holds(2, 'c1', 2), ended('left', 12, 'c1')]
    expect(broken('exclusion', object, story)).toEqual([
      'A (owner a1), B (owner b1) and C (owner c1) held 5 of 4 permits of job at once for 10.0 ms',
    ])
  })

  it('counts what a holder has left after it gave some back', () => {
    const some = [holds(0, 'a1', 4), lowered(10, 'a1', 1)]
    expect(broken('exclusion', object, some, holds(10, 'b1', 3))).toEqual([])
    expect(broken('exclusion', object, some, holds(9, 'b1', 1))).toHaveLength(1)
    expect(broken('exclusion', object, some, holds(10, 'b1', 4))).toHaveLength(1)
  })

  it('is broken by one request for more than there are', () => {
    expect(broken('exclusion', object, holds(0, 'a1', 5))).toEqual([
      'A (owner a1) held 5 of 4 permits of job at once',
    ])
  })
})

describe('a semaphore that is resized', () => {
  const grown = resized(10, 20, 6)
  const shrunk = resized(10, 20, 2)

  it('has the larger size as soon as it was requested', () => {
    expect(broken('exclusion', sized(4), grown, holds(15, 'a1', 6))).toEqual([])
    expect(broken('exclusion', sized(4), grown, holds(9, 'a1', 6))).toHaveLength(1)
  })

  it('has the smaller one once that is acknowledged, for those that request it later', () => {
    expect(broken('exclusion', sized(4), shrunk, wants(20, 'a1', 3), holds(30, 'a1', 3))).toEqual([])
    expect(broken('exclusion', sized(4), shrunk, wants(21, 'a1', 3), holds(30, 'a1', 3))).toHaveLength(1)
  })

  it('evicts nobody when it shrinks, and lets nobody in while more are held', () => {
    const before = [holds(0, 'a1', 3), lowered(40, 'a1', 2)]
    expect(broken('exclusion', sized(4), shrunk, before)).toEqual([])
    expect(
      broken('exclusion', sized(4), shrunk, before, wants(50, 'b1', 1), holds(51, 'b1', 1)),
    ).toHaveLength(1)
  })

  it('counts a claim of which less than a millisecond was cut off as one that goes on', () => {
    const before = [holds(0, 'a1', 3)].map((event) => ({ ...event, claimUntilMs: 40 }))
    const again = (atMs: number) => confirmed(atMs, 'a1', atMs + 1)
    expect(broken('exclusion', sized(4), shrunk, before, again(40.9))).toEqual([])
    expect(broken('exclusion', sized(4), resized(10, 20, 2), before, again(41.1))).toHaveLength(1)
  })

  it('has its own size again when that of the resize has expired', () => {
    const brief = resized(10, 20, 2, 100)
    expect(broken('exclusion', sized(4), brief, wants(50, 'a1', 3), holds(60, 'a1', 3))).toHaveLength(1)
    expect(broken('exclusion', sized(4), brief, wants(50, 'a1', 3), holds(110, 'a1', 3))).toEqual([])
    const more = resized(10, 20, 6, 100)
    expect(broken('exclusion', sized(4), more, wants(121, 'a1', 6), holds(130, 'a1', 6))).toEqual([])
    expect(broken('exclusion', sized(4), more, wants(123, 'a1', 6), holds(130, 'a1', 6))).toHaveLength(1)
  })

  it('may have either size when nobody knows whether it was resized, and any after a fault that may lose data', () => {
    const later = [wants(50, 'a1', 6), holds(60, 'a1', 6)]
    expect(broken('exclusion', sized(4), resized(10, null, 6, 5), later)).toEqual([])
    expect(broken('exclusion', sized(4), resized(10, 12, 6, 5), later)).toHaveLength(1)
    const lost = fault(30, 40, { excuses: ['exclusion'] })
    expect(broken('exclusion', sized(4), resized(10, 12, 6, 5), lost, later)).toEqual([])
  })

  it('has the size of the later of two resizes', () => {
    const twice = [...resized(10, 20, 6), ...resized(30, 40, 3)]
    expect(broken('exclusion', sized(4), twice, wants(41, 'a1', 4), holds(50, 'a1', 4))).toHaveLength(1)
    expect(broken('exclusion', sized(4), twice, wants(35, 'a1', 4), holds(50, 'a1', 4))).toEqual([])
  })

  it('is acknowledged or fails in time', () => {
    const late = resized(10, 90_000, 6)
    expect(broken('progress', sized(4), resized(10, null, 6))).toEqual([
      'R: its resize of job was never settled',
    ])
    expect(broken('progress', sized(4), late)).toHaveLength(1)
    const failed = (reason: 'other' | 'unavailable') => refused(20, 'r10', reason, { owner: null })
    expect(broken('progress', sized(4), resized(10, null, 6), failed('unavailable'))).toEqual([])
    expect(broken('progress', sized(4), resized(10, null, 6), failed('other'))).toHaveLength(1)
  })
})

describe('tokens', () => {
  const object = sized(all)

  it('of readers that enter in one step are the same', () => {
    const step = [wants(0, 'a1', 1), wants(1, 'b1', 1), holds(10, 'a1', 1, 7), holds(11, 'b1', 1, 7)]
    expect(broken('tokens', object, step)).toEqual([])
    expect(broken('tokens', object, step.slice(0, 3), ended('left', 10.5, 'a1'), step.slice(3))).toEqual([])
  })

  it('of a reader that requested later are larger', () => {
    const first = [wants(0, 'a1', 1), holds(10, 'a1', 1, 7)]
    expect(broken('tokens', object, first, wants(11, 'b1', 1), holds(12, 'b1', 1, 8))).toEqual([])
    expect(broken('tokens', object, first, wants(11, 'b1', 1), holds(12, 'b1', 1, 7))).toHaveLength(1)
  })

  it('of a writer are above all before it, and below all after it', () => {
    const reader = [wants(0, 'a1', 1), wants(0, 'b1', all), holds(10, 'a1', 1, 7), ended('left', 20, 'a1')]
    expect(broken('tokens', object, reader, holds(20, 'b1', all, 8))).toEqual([])
    expect(broken('tokens', object, reader, holds(20, 'b1', all, 7))).toHaveLength(1)
    const writer = [wants(0, 'a1', all), wants(0, 'b1', 1), holds(10, 'a1', all, 7), ended('left', 20, 'a1')]
    expect(broken('tokens', object, writer, holds(20, 'b1', 1, 7))).toHaveLength(1)
  })

  it('of a writer are compared with those of every reader before, however many came in between', () => {
    const readers = [
      holds(10, 'a1', 1, 9),
      ended('left', 11, 'a1'),
      holds(12, 'b1', 1, 5),
      ended('left', 13, 'b1'),
    ]
    const requests = [wants(0, 'a1', 1), wants(0, 'b1', 1), wants(0, 'c1', all)]
    expect(broken('tokens', object, requests, readers, holds(20, 'c1', all, 7))).toHaveLength(1)
  })

  it('stay the same in a downgrade', () => {
    const inner = (token: number) => acquired(10, 'a1', null, { call: 'a2', count: 2, permits: 1, token })
    expect(broken('tokens', object, holds(0, 'a1', all, 7), inner(7))).toEqual([])
    expect(broken('tokens', object, holds(0, 'a1', all, 7), inner(8))).toHaveLength(1)
  })
})

describe('order', () => {
  const writer = [wants(99, 'w1', all), queued(100, 'w1')]

  it('is broken by a reader that passes a waiting writer', () => {
    const reader = [wants(120, 'b1', 1), holds(150, 'b1', 1), ended('left', 160, 'b1')]
    expect(broken('order', sized(all), writer, reader, holds(200, 'w1', all))).toEqual([
      'B requested job 20.0 ms after W (owner w1) was queued, and was served before it',
    ])
  })

  it('is kept by readers that enter in one step, whichever is told first', () => {
    const waiting = [wants(99, 'w1', 1), queued(100, 'w1'), wants(120, 'b1', 1)]
    expect(broken('order', sized(all), waiting, holds(150, 'b1', 1, 7), holds(151, 'w1', 1, 7))).toEqual([])
    expect(broken('order', sized(all), waiting, holds(150, 'b1', 1, 8), holds(151, 'w1', 1, 7))).toEqual([])
    expect(broken('order', sized(all), waiting, holds(150, 'b1', 1, 6), holds(151, 'w1', 1, 7))).toHaveLength(
      1,
    )
  })

  it('is told by times alone after a resize, where tokens are not drawn in turn: a message may be late', () => {
    const overtakings = (servedMs: number): number => {
      const waiting = [wants(99, 'w1', 1), queued(100, 'w1'), wants(120, 'b1', 1)]
      const events = [sized(4), ...resized(50, 60, 5), ...waiting, holds(150, 'b1', 1, 9)]
      const options = { recoveryMs: 10, slackMs: 20, handOffMs: 5, drawsTokensInTurn: false }
      const violations = checkHistory([...events, holds(servedMs, 'w1', 1, 8)], options)
      return violations.filter(({ promise }) => promise === 'order').length
    }
    expect(overtakings(174)).toBe(0)
    expect(overtakings(176)).toBe(1)
  })

  it('is broken by small requests that overtake a large one', () => {
    const large = [wants(99, 'w1', 4), queued(100, 'w1')]
    const small = [wants(120, 'b1', 1), holds(150, 'b1', 1), ended('left', 160, 'b1')]
    expect(broken('order', sized(4), large, small, holds(200, 'w1', 4))).toHaveLength(1)
    expect(broken('order', sized(4), large, small, refused(200, 'w1', 'unavailable'))).toHaveLength(1)
  })

  it('is not owed to a request for more than there are', () => {
    const large = [wants(99, 'w1', 4), queued(100, 'w1')]
    const small = [wants(120, 'b1', 1), holds(150, 'b1', 1), ended('left', 160, 'b1')]
    expect(
      broken('order', sized(4), resized(50, 60, 2), large, small, refused(200, 'w1', 'unavailable')),
    ).toEqual([])
  })

  it('allows for a grant that came while the waiter gave up', () => {
    const waiting = [requested(99, 'w1', { permits: 1, waitMs: 60 }), queued(100, 'w1'), wants(120, 'b1', 1)]
    expect(broken('order', sized(4), waiting, holds(154, 'b1', 1), refused(159, 'w1'))).toEqual([])
    expect(broken('order', sized(4), waiting, holds(153, 'b1', 1), refused(159, 'w1'))).toHaveLength(1)
  })
})

describe('progress', () => {
  it('is broken by readers that enter long after the writer has left', () => {
    const story = (lateMs: number) => [
      wants(0, 'a1', all),
      holds(1, 'a1', all),
      wants(5, 'b1', 1),
      queued(6, 'b1'),
      ended('left', 10, 'a1'),
      ended('released', 11, 'a1'),
      holds(10 + lateMs, 'b1', 1),
    ]
    expect(broken('progress', sized(all), story(25))).toEqual([])
    expect(broken('progress', sized(all), story(26))).toEqual([
      'the hand-off of job took 26.0 ms; at most 25.0 ms are allowed',
    ])
  })

  it('is broken by a waiter that enters long after enough permits were given back', () => {
    const story = (lateMs: number) => [
      wants(0, 'a1', 4),
      holds(1, 'a1', 4),
      wants(5, 'b1', 2),
      queued(6, 'b1'),
      lowered(10, 'a1', 2),
      holds(10 + lateMs, 'b1', 2),
    ]
    expect(broken('progress', sized(4), story(25))).toEqual([])
    expect(broken('progress', sized(4), story(26))).toHaveLength(1)
  })

  it('does not time a waiter that gets in when something else happened last', () => {
    const story = [
      wants(0, 'a1', 4),
      holds(1, 'a1', 4),
      wants(5, 'b1', 2),
      queued(6, 'b1'),
      lowered(10, 'a1', 2),
    ]
    const gaveUp = [wants(4, 'w1', 4), queued(4.5, 'w1'), refused(60, 'w1', 'aborted')]
    expect(broken('progress', sized(4), story, gaveUp, holds(61, 'b1', 2))).toEqual([])
  })

  it('is broken by a reader that is refused an upgrade which it did not ask for', () => {
    expect(broken('progress', sized(all), wants(0, 'a1', all), refused(1, 'a1', 'upgrade'))).toEqual([])
    expect(broken('progress', sized(all), wants(0, 'a1', 1), refused(1, 'a1', 'upgrade'))).toHaveLength(1)
  })
})

it('a timeline marks more permits than there are, and not holds that fit', () => {
  const story = [sized(4), holds(0, 'a1', 2), holds(1, 'b1', 2), ...resized(2, 3, 5), holds(4, 'c1', 2)]
  expect(drawTimeline([...story, ended('left', 5, 'a1'), ended('left', 6, 'b1')]).split('\n')).toEqual([
    '  0.0            job has 4 permits',
    '  1.0     A      A acquires with 2 permits as a1, no deadline',
    '  2.0     A B    B acquires with 2 permits as b1, no deadline',
    '  3.0     A B    R resizes it to 5 for 1000000 ms',
    '  4.0     A B    R has resized it',
    '  5.0  !! A B C  C acquires with 2 permits as c1, no deadline',
    '  6.0     B C    A leaves',
    '  7.0     C      B leaves',
  ])
})

it('of a semaphore the timeline tells what each call wants and keeps', () => {
  const story = [wants(0, 'a1', 3), holds(1, 'a1', 3), lowered(2, 'a1', 1)]
  expect(drawTimeline(story).split('\n')).toEqual([
    '  0.0        A requests 3 permits, waits without limit',
    '  1.0     A  A acquires with 3 permits as a1, no deadline',
    '  2.0     A  A keeps 1 permit',
  ])
})
