import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import {
  acquired,
  disconnected,
  requested,
  fault,
  lock,
  queued,
  refused,
  sized,
  stalled,
} from './short-events.js'

const options = { recoveryMs: 10, slackMs: 20 }

function overtakings(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), options)
    .filter(({ promise }) => promise === 'order')
    .map(({ message }) => message)
}

/** W requests and is queued at 100; B requests at 120 and is served at 150, W at 200. */
const ask = [requested(99, 'w1'), queued(100, 'w1')]
const b = [requested(120, 'b1'), acquired(150, 'b1', 160)]
const served = acquired(200, 'w1', 250)

it('a request made after a waiter was queued but served before it has overtaken it', () => {
  expect(checkHistory([...ask, ...b, served], options)).toEqual([
    {
      promise: 'order',
      lock,
      message: 'B requested job 20.0 ms after W (owner w1) was queued, and was served before it',
      events: [ask[1], ...b, served],
    },
  ])
})

it('a request made before the waiter was queued, or in that instant, may be served before it', () => {
  expect(overtakings(ask, requested(99.5, 'b1'), acquired(150, 'b1', 160), served)).toEqual([])
  expect(overtakings(ask, requested(100, 'b1'), acquired(150, 'b1', 160), served)).toEqual([])
  expect(overtakings(ask, requested(100.1, 'b1'), acquired(150, 'b1', 160), served)).toHaveLength(1)
})

it('a request served after the waiter has not overtaken it', () => {
  expect(overtakings(ask, acquired(140, 'w1', 145), b)).toEqual([])
  expect(overtakings(ask, acquired(150, 'w1', 150), b)).toEqual([])
})

it('a re-entry does not overtake', () =>
  expect(overtakings(ask, requested(120, 'b1'), acquired(150, 'b1', 160, { count: 2 }), served)).toEqual([]))

it('a waiter that re-enters later was served at its first entry', () => {
  const again = acquired(200, 'w1', 250, { call: 'w2', count: 2 })
  expect(overtakings(ask, acquired(140, 'w1', 145), b, requested(199, 'w2'), again)).toEqual([])
})

it('a waiter for another lock is not overtaken', () => {
  const elsewhere = [requested(120, 'b1', { lock: 'other' }), acquired(150, 'b1', 160, { lock: 'other' })]
  expect(overtakings(ask, elsewhere, served)).toEqual([])
})

it('a call of the same process can overtake too', () =>
  expect(overtakings(ask, requested(120, 'w2'), acquired(150, 'w2', 160), served)).toHaveLength(1))

it('several requests that overtook one waiter are reported once', () => {
  const more = [requested(121, 'c1'), acquired(170, 'c1', 180)]
  expect(overtakings(ask, b, more, served)).toEqual([
    'B requested job 20.0 ms after W (owner w1) was queued, and was served before it; so were 1 more',
  ])
})

it('a waiter whose call is unknown is not judged', () => {
  expect(overtakings(ask, b)).toEqual([])
  expect(overtakings(ask, b, refused(200, 'w1', 'aborted', { owner: null }))).toEqual([])
})

describe('a waiter that was refused', () => {
  it('could be overtaken until it gave up, minus the time that reporting may take', () => {
    expect(overtakings(ask, b, refused(170, 'w1', 'aborted'))).toEqual([])
    expect(overtakings(ask, b, refused(170.1, 'w1', 'aborted'))).toHaveLength(1)
  })

  it('could be overtaken until its signal aborted, if that is known', () => {
    const aborted = (abortAtMs: number) => [requested(99, 'w1', { abortAtMs }), queued(100, 'w1')]
    expect(overtakings(aborted(152), b, refused(160, 'w1', 'aborted'))).toEqual([])
    expect(overtakings(aborted(153), b, refused(160, 'w1', 'aborted'))).toHaveLength(1)
    expect(overtakings(aborted(153), b, refused(150, 'w1', 'aborted'))).toEqual([])
  })

  it('could be overtaken until its waitMs ended, however late it reports so', () => {
    const patient = (waitMs: number) => [requested(99, 'w1', { waitMs }), queued(100, 'w1')]
    expect(overtakings(patient(53), b, refused(160, 'w1'))).toEqual([])
    expect(overtakings(patient(54), b, refused(160, 'w1'))).toHaveLength(1)
    expect(overtakings(patient(54), b, refused(150, 'w1'))).toEqual([])
  })
})

describe('a waiter is excused', () => {
  const disturbs = ['W'] as const

  it('by a fault of its process between queueing and the overtaking', () => {
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs: 'all' }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs: ['B'] }))).toHaveLength(1)
  })

  it('by a fault of its lock', () => {
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs, locks: [lock] }))).toEqual([])
    expect(overtakings(ask, b, served, fault(130, 135, { disturbs, locks: ['other'] }))).toHaveLength(1)
  })

  it('by a fault that is active, or not recovered from, when it is queued', () => {
    expect(overtakings(ask, b, served, fault(10, null, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(10, 90, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(10, 89, { disturbs }))).toHaveLength(1)
  })

  it('by a fault that begins before it is overtaken, not after', () => {
    expect(overtakings(ask, b, served, fault(150, 190, { disturbs }))).toEqual([])
    expect(overtakings(ask, b, served, fault(151, 190, { disturbs }))).toHaveLength(1)
  })

  it('by a stall of its process, from the beginning of the stall until the recovery from it', () => {
    expect(overtakings(ask, b, served, stalled(90, 'W', 20))).toEqual([])
    expect(overtakings(ask, b, served, stalled(89, 'W', 20))).toHaveLength(1)
    expect(overtakings(ask, b, served, stalled(190, 'W', 40))).toEqual([])
    expect(overtakings(ask, b, served, stalled(190, 'W', 39))).toHaveLength(1)
    expect(overtakings(ask, b, served, stalled(130, 'B', 20))).toHaveLength(1)
  })

  it('by a lost connection of its process, until the recovery from it', () => {
    expect(overtakings(ask, b, served, disconnected(90, 'W'))).toEqual([])
    expect(overtakings(ask, b, served, disconnected(89, 'W'))).toHaveLength(1)
    expect(overtakings(ask, b, served, disconnected(151, 'W'))).toHaveLength(1)
    expect(overtakings(ask, b, served, disconnected(130, 'B'))).toHaveLength(1)
  })

  it('no longer once its queue entry is confirmed again', () => {
    const again = [queued(115, 'w1'), served]
    expect(overtakings(ask, fault(101, 103, { disturbs }), b, served)).toEqual([])
    expect(overtakings(ask, fault(101, 103, { disturbs }), b, again)).toHaveLength(1)
    expect(overtakings(ask, fault(101, 106, { disturbs }), b, again)).toEqual([])
  })
})

it('a call inside a hold that is refused does not count as the wait for that hold', () => {
  const one = { permits: 1 }
  const inside = { ...one, token: 7 }
  const events = [
    { ...requested(0, 'a1'), ...one },
    queued(1, 'a1'),
    { ...requested(2, 'b1'), ...one },
    acquired(3, 'b1', 900, inside),
    acquired(3.1, 'a1', 900, inside),
    { ...requested(5, 'a2'), permits: 10 },
    refused(800, 'a1', 'lost', { call: 'a2' }),
  ]
  expect(overtakings(sized(10), ...events)).toEqual([])
})
