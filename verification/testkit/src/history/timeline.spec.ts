import type { HistoryEvent } from './event.js'
import {
  acquired,
  requested,
  confirmed,
  ended,
  fault,
  killed,
  queued,
  refused,
  stalled,
} from './short-events.js'
import { drawTimeline } from './timeline.js'

function drawn(...events: HistoryEvent[]): string[] {
  return drawTimeline(events).split('\n')
}

it('a line says when something happened, who holds from then on, and where two do', () => {
  const lines = drawn(
    requested(1_000, 'a1', { waitMs: 500 }),
    acquired(1_001, 'a1', 1_100, { token: 7 }),
    requested(1_010.25, 'b1'),
    queued(1_011, 'b1'),
    ...fault(1_020, 1_200, { fault: 'freezeProcess', disturbs: ['A'], excuses: ['exclusion', 'tokens'] }),
    acquired(1_090, 'b1', 1_300, { token: 8 }),
    ended('left', 1_150, 'b1'),
    ended('released', 1_151, 'b1'),
  )
  expect(lines).toEqual([
    '    0.0          A requests the lock, waits up to 500 ms',
    '    1.0     A    A acquires as a1, token 7, until 100.0',
    '   10.3     A    B requests the lock, waits without limit',
    '   11.0     A    B is queued as b1',
    '   20.0     A    fault f: freezeProcess, disturbs A, excuses exclusion and tokens',
    '   90.0  !! A B  B acquires as b1, token 8, until 300.0',
    "  100.0     B    A's claim ends",
    '  150.0          B leaves',
    '  151.0          B has released it',
    '  200.0          healed f',
  ])
})

it('holds that only touch are not a conflict', () => {
  expect(drawn(acquired(0, 'a1', 10), acquired(10, 'b1', 20))).toEqual([
    '   0.0     A  A acquires as a1, until 10.0',
    "  10.0        A's claim ends",
    '  10.0     B  B acquires as b1, until 20.0',
  ])
})

it('every kind of event has a description', () => {
  expect(
    drawn(
      requested(0, 'a1', { waitMs: 0 }),
      acquired(1, 'a1'),
      acquired(2, 'a1', null, { call: 'a2', count: 2 }),
      confirmed(3, 'a1', 9),
      stalled(4, 'B', 120),
      refused(5, 'b1', 'other', { message: 'two\nlines' }),
      refused(6, 'b2', 'aborted'),
      { kind: 'counted', atMs: 7, lock: 'job', owner: 'a1', atClient: 2, atServer: 1 },
      ended('loss-found', 7.5, 'a1', 'a2'),
      ended('lost', 8, 'a1'),
      killed(9, 'A'),
      { kind: 'leftover', atMs: 10, lock: 'job', what: 'a queue entry' },
    ),
  ).toEqual([
    '   0.0        A requests the lock, once',
    '   1.0     A  A acquires as a1, no deadline',
    '   2.0     A  A re-enters to count 2 as a1, no deadline',
    '   3.0     A  A still claims it, until 9.0',
    '   4.0     A  B stalled for 120.0 ms',
    '   5.0     A  B is refused (other): two lines',
    '   6.0     A  B is refused (aborted)',
    '   7.0     A  a1 counts 2, the server 1',
    '   7.5        A finds that it lost it, without a signal',
    '   8.0        A learns of its loss',
    '   9.0        A is killed',
    '  10.0        left behind: a queue entry',
  ])
})

it('several locks are named', () => {
  const lines = drawn(
    acquired(0, 'a1', 20),
    acquired(5, 'a2', 30, { lock: 'other' }),
    acquired(21, 'a3', 90),
    ended('left', 40, 'a3'),
  )
  expect(lines).toEqual([
    '   0.0     A    A acquires job as a1, until 20.0',
    '   5.0     A A  A acquires other as a2, until 30.0',
    "  20.0     A    A's claim on job ends",
    '  21.0     A A  A acquires job as a3, until 90.0',
    "  30.0     A    A's claim on other ends",
    '  40.0          A leaves job',
  ])
})

it('marked events are shown with nearby ones, and the rest is counted', () => {
  const events = Array.from({ length: 20 }, (_, i) => requested(i, 'a1'))
  const marked = new Set(events.slice(10, 11))
  const lines = drawTimeline(events, { marked }).split('\n')
  expect(lines.map((line) => line.trim().slice(0, 6).trim())).toEqual([
    '… 4 mo',
    ...['4.0', '5.0', '6.0', '7.0', '8.0', '9.0', '> 10.0', '11.0', '12.0'],
    '… 7 mo',
  ])
})

it('long lines are truncated', () => {
  const line = drawTimeline([requested(0, 'a1', { process: 'a very long name', waitMs: 1 })], { columns: 40 })
  expect(line).toBe('  0.0       a very long name requests t…')
  expect(line).toHaveLength(40)
})

it('a history without events is no text', () => expect(drawTimeline([])).toBe(''))
