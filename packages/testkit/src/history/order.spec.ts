import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, asked, fault, lock, queued, refused, stalled } from './story.js'

const options = { recoveryMs: 10, slackMs: 20 }

function overtakings(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), options)
    .filter(({ promise }) => promise === 'order')
    .map(({ message }) => message)
}

/** W asks and is queued at 100; B asks at 120 and is served at 150, W at 200. */
const ask = [asked(99, 'w1'), queued(100, 'w1')]
const b = [asked(120, 'b1'), acquired(150, 'b1', 160)]
const served = acquired(200, 'w1', 250)

it('who asked after a waiter was queued and is served before it has overtaken it', () => {
  expect(checkHistory([...ask, ...b, served], options)).toEqual([
    {
      promise: 'order',
      lock,
      message: 'B asked for job 20.0 ms after W (owner w1) was queued, and was served before it',
      events: [ask[1], ...b, served],
    },
  ])
})

it('who asked before the waiter was queued, or at that instant, may be served before it', () => {
  expect(overtakings(ask, asked(99.5, 'b1'), acquired(150, 'b1', 160), served)).toEqual([])
  expect(overtakings(ask, asked(100, 'b1'), acquired(150, 'b1', 160), served)).toEqual([])
  expect(overtakings(ask, asked(100.1, 'b1'), acquired(150, 'b1', 160), served)).toHaveLength(1)
})

it('who is served after the waiter has not overtaken it', () => {
  expect(overtakings(ask, acquired(140, 'w1', 145), b)).toEqual([])
  expect(overtakings(ask, acquired(150, 'w1', 150), b)).toEqual([])
})

it('a re-entry overtakes nobody', () => {
  expect(overtakings(ask, asked(120, 'b1'), acquired(150, 'b1', 160, { count: 2 }), served)).toEqual([])
})

it('a waiter that is served and re-enters later was served when it got in', () => {
  const again = acquired(200, 'w1', 250, { call: 'w2', count: 2 })
  expect(overtakings(ask, acquired(140, 'w1', 145), b, asked(199, 'w2'), again)).toEqual([])
})

it('who waits for another lock is not overtaken', () => {
  const elsewhere = [asked(120, 'b1', { lock: 'other' }), acquired(150, 'b1', 160, { lock: 'other' })]
  expect(overtakings(ask, elsewhere, served)).toEqual([])
})

it('a call of the same process can overtake too', () => {
  expect(overtakings(ask, asked(120, 'w2'), acquired(150, 'w2', 160), served)).toHaveLength(1)
})

it('several who overtook one waiter are told once', () => {
  const more = [asked(121, 'c1'), acquired(170, 'c1', 180)]
  expect(overtakings(ask, b, more, served)).toEqual([
    'B asked for job 20.0 ms after W (owner w1) was queued, and was served before it; so were 1 more',
  ])
})

it('a waiter whose call is unknown is not judged', () => {
  expect(overtakings(ask, b)).toEqual([])
  expect(overtakings(ask, b, refused(200, 'w1', 'aborted', { owner: null }))).toEqual([])
})

describe('a waiter that was refused', () => {
  it('had its turn until it gave up, less the time that saying so may take', () => {
    expect(overtakings(ask, b, refused(170, 'w1', 'aborted'))).toEqual([])
    expect(overtakings(ask, b, refused(170.1, 'w1', 'aborted'))).toHaveLength(1)
  })

  it('had its turn until its signal aborted, where that is known', () => {
    const aborted = (abortAtMs: number) => [asked(99, 'w1', { abortAtMs }), queued(100, 'w1')]
    expect(overtakings(aborted(152), b, refused(160, 'w1', 'aborted'))).toEqual([])
    expect(overtakings(aborted(153), b, refused(160, 'w1', 'aborted'))).toHaveLength(1)
    expect(overtakings(aborted(153), b, refused(150, 'w1', 'aborted'))).toEqual([])
  })

  it('had its turn until its waitMs ended, however late it says so', () => {
    const patient = (waitMs: number) => [asked(99, 'w1', { waitMs }), queued(100, 'w1')]
    expect(overtakings(patient(53), b, refused(160, 'w1'))).toEqual([])
    expect(overtakings(patient(54), b, refused(160, 'w1'))).toHaveLength(1)
    expect(overtakings(patient(54), b, refused(150, 'w1'))).toEqual([])
  })
})

describe('a waiter is excused', () => {
  const disturbs = ['W'] as const

  it('by a fault of its process between its place and the overtaking', () => {
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs: 'all' }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs: ['B'] }))).toHaveLength(1)
  })

  it('by a fault of its lock', () => {
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs, locks: [lock] }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs, locks: ['other'] }))).toHaveLength(1)
  })

  it('by one that is not over, or not recovered from, when it is queued', () => {
    expect(overtakings(ask, b, served, fault(10, null, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(10, 90, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(10, 89, { disturbs }))).toHaveLength(1)
  })

  it('by one that begins before it is overtaken, not after', () => {
    expect(overtakings(ask, b, served, fault(150, 190, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(151, 190, { disturbs }))).toHaveLength(1)
  })

  it('by a stall of its process, from its beginning until it is recovered from', () => {
    expect(overtakings(ask, b, served, stalled(90, 'W', 20))).toEqual([])
    expect(overtakings(ask, b, served, stalled(89, 'W', 20))).toHaveLength(1)
    expect(overtakings(ask, b, served, stalled(190, 'W', 40))).toEqual([])
    expect(overtakings(ask, b, served, stalled(190, 'W', 39))).toHaveLength(1)
    expect(overtakings(ask, b, served, stalled(130, 'B', 20))).toHaveLength(1)
  })

  it('no longer once its place is known again', () => {
    const again = [queued(115, 'w1'), served]
    expect(overtakings(ask, fault(101, 103, { disturbs }), b, served)).toEqual([])
    expect(overtakings(ask, fault(101, 103, { disturbs }), b, again)).toHaveLength(1)
    expect(overtakings(ask, fault(101, 106, { disturbs }), b, again)).toEqual([])
  })
})
