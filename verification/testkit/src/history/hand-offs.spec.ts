import { checkHistory } from './check-history.js'
import { coverageOf } from './coverage.js'
import type { HistoryEvent } from './event.js'
import { acquired, requested, ended, fault, killed, lock, queued, refused, stalled } from './short-events.js'

const options = { recoveryMs: 10, handOffMs: 50, slackMs: 20 }

/** From 0 on, waiters w1, w2, … queue every 10 ms; each works for 100 ms, and the next one enters with a delay. */
function relay(...tookMs: readonly number[]): HistoryEvent[] {
  let atMs = 1_000
  return tookMs.flatMap((later, n) => {
    const [leaver, waiter] = [`h${n}`, `w${n}`]
    const fromMs = atMs
    const leftMs = fromMs + 100
    atMs = leftMs + later + 200
    return [
      requested(fromMs, leaver),
      acquired(fromMs, leaver),
      requested(fromMs + 10, waiter),
      queued(fromMs + 11, waiter),
      ended('left', leftMs, leaver),
      ended('released', leftMs + 1, leaver),
      acquired(leftMs + later, waiter),
      ended('left', leftMs + later + 1, waiter),
      ended('released', leftMs + later + 2, waiter),
    ]
  })
}

function timed(...events: (HistoryEvent | HistoryEvent[])[]): readonly number[] {
  return coverageOf(events.flat(), options).handOffsMs
}

it('hand-offs that are slow in the median are reported with the median one', () => {
  const history = relay(1, 60, 51, 2, 70)
  const [left, entered] = [history[2 * 9 + 4], history[2 * 9 + 6]]
  expect(checkHistory(history, options)).toEqual([
    {
      promise: 'progress',
      lock,
      message: 'the hand-off of job took 51.0 ms in the median of 5; at most 50.0 ms are allowed',
      events: [left, entered],
    },
  ])
})

it('hand-offs that are fast in the median, or fewer than five, are not reported', () => {
  expect(checkHistory(relay(1, 60, 50, 2, 70), options)).toEqual([])
  expect(checkHistory(relay(60, 60, 60, 60), options)).toEqual([])
})

it('a single hand-off that takes a multiple of the limit is reported', () => {
  const history = relay(1, 251, 2)
  expect(checkHistory(history, options)).toEqual([
    {
      promise: 'progress',
      lock,
      message: 'the hand-off of job took 251.0 ms; at most 250.0 ms are allowed',
      events: [history[9 + 4], history[9 + 6]],
    },
  ])
  expect(checkHistory(relay(1, 250, 2), options)).toEqual([])
})

it('a hand-off is timed from the leaving to the return of the call', () =>
  expect(timed(relay(3, 5))).toEqual([3, 5]))

it('a waiter that was queued only after the holder left is not a hand-off', () => {
  const late = [queued(1_101, 'w0'), ...relay(3).filter(({ kind }) => kind !== 'queued')]
  expect(timed(late)).toEqual([])
})

it('a hand-off is not timed if a call for several locks that failed may have had the lock in between', () => {
  const part = (atMs: number) => [requested(1_020, 'm1', { together: 'm' }), refused(atMs, 'm1', 'aborted')]
  expect(timed([...relay(60), ...part(1_120)].sort((a, b) => a.atMs - b.atMs))).toEqual([])
  expect(timed([...relay(60), ...part(1_090)].sort((a, b) => a.atMs - b.atMs))).toEqual([60])
})

it('a hold that did not end by leaving hands nothing off', () => {
  const [, held, ...waits] = relay(3).filter(({ kind }) => kind !== 'left')
  expect(timed(held ?? [], ended('lost', 1_050, 'h0'), ...waits)).toEqual([])
})

it('only undisturbed hand-offs are timed', () => {
  const one = relay(3)
  expect(timed(one, fault(900, 1_001, { disturbs: ['C'] }))).toEqual([])
  expect(timed(one, fault(900, 1_000, { disturbs: ['C'] }))).toEqual([3])
  expect(timed(one, fault(1_103, 1_200, { disturbs: 'all' }))).toEqual([])
  expect(timed(one, fault(1_104, 1_200, { disturbs: 'all' }))).toEqual([3])
  expect(timed(one, fault(900, 1_005, {}))).toEqual([3])
  expect(timed(one, fault(900, 1_011, {}))).toEqual([])
  expect(timed(one, fault(900, 1_200, { disturbs: 'all', locks: ['other'] }))).toEqual([3])
  expect(timed(one, stalled(1_020, 'C', 8))).toEqual([])
  expect(timed(one, stalled(1_020, 'C', 10))).toEqual([])
  expect(timed(one, stalled(1_010, 'C', 10))).toEqual([3])
})

describe('the coverage', () => {
  it('counts holds that had to exclude the previous one', () => {
    const holds = [acquired(0, 'a1', 5), acquired(20, 'b1', 25), acquired(40, 'c1', 45)]
    expect(coverageOf(holds, options)).toMatchObject({ holds: 3, holdsJudged: 3 })
    const excuses = ['exclusion'] as const
    expect(coverageOf([...holds, ...fault(21, 22, { excuses })], options)).toMatchObject({ holdsJudged: 2 })
    expect(coverageOf([...holds, ...fault(21, 22, { excuses, locks: ['other'] })], options)).toMatchObject({
      holdsJudged: 3,
    })
  })

  it('counts waits that no later request was allowed to overtake', () => {
    const wait = [requested(0, 'w1'), queued(10, 'w1')]
    const judged = (...events: HistoryEvent[]) => coverageOf([...wait, ...events], options)
    expect(judged(acquired(50, 'w1'))).toMatchObject({ waits: 1, waitsJudged: 1 })
    expect(judged(...fault(20, 21, { disturbs: ['W'] }), acquired(50, 'w1'))).toMatchObject({
      waits: 1,
      waitsJudged: 0,
    })
    expect(judged(refused(30, 'w1', 'unavailable'))).toMatchObject({ waitsJudged: 0 })
    expect(judged(refused(31, 'w1', 'unavailable'))).toMatchObject({ waitsJudged: 1 })
    expect(judged(killed(50, 'W'))).toMatchObject({ waits: 1, waitsJudged: 0 })
  })
})
