import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, confirmed, ended, fault, killed, lock, refused, requested } from './short-events.js'

const found = (...parts: (HistoryEvent | HistoryEvent[])[]): string[] =>
  checkHistory(parts.flat(), { slackMs: 100 }).map(({ promise, message }) => `${promise}: ${message}`)

/** What a call does to the latch, and its reply. */
const of = (atMs: number, call: string) => ({ atMs, process: call.charAt(0).toUpperCase(), call, lock })
const set = (fromMs: number, untilMs: number, parties: number): HistoryEvent[] => {
  const call = `s${fromMs}`
  return [
    { kind: 'setting', ...of(fromMs, call), parties },
    { kind: 'set', ...of(untilMs, call), isSet: true },
  ]
}
const countDown = (fromMs: number, untilMs: number, party: string | null, left: number): HistoryEvent[] => {
  const call = `c${fromMs}`
  return [
    { kind: 'counting', ...of(fromMs, call), party },
    { kind: 'counted-down', ...of(untilMs, call), left },
  ]
}
const deletion = (fromMs: number, untilMs: number): HistoryEvent[] => [
  { kind: 'deleting', ...of(fromMs, `d${fromMs}`) },
  { kind: 'deleted', ...of(untilMs, `d${fromMs}`) },
]
const waits = (atMs: number, waitMs: number | null = null) => requested(atMs, 'w', { waitMs })
const passed = (atMs: number): HistoryEvent => ({ kind: 'passed', ...of(atMs, 'w') })

describe('a wait for a latch', () => {
  it('passes when all parties have begun to count down', () => {
    const both = [...countDown(3, 5, 'a', 1), ...countDown(6, 9, null, 0)]
    expect(found(set(0, 1, 2), waits(2), both, passed(8))).toEqual([])
  })

  it('does not pass before that, nor if one party counts down twice', () => {
    const early = 'latches: W: its call w on the latch job passed, although at least 1 had not counted down'
    expect(found(set(0, 1, 2), waits(2), countDown(3, 5, 'a', 1), passed(8))).toEqual([early])
    const twice = [...countDown(3, 4, 'a', 1), ...countDown(5, 6, 'a', 1)]
    expect(found(set(0, 1, 2), waits(2), twice, passed(8))).toEqual([early])
  })

  it('does not pass for a count that was replaced before it began', () => {
    const first = [...set(0, 1, 1), ...countDown(2, 3, null, 0)]
    expect(found(first, waits(6), passed(8))).toEqual([])
    expect(found(first, set(4, 5, 1), waits(6), passed(8))).toEqual([
      'latches: W: its call w on the latch job passed, although at least 1 had not counted down',
    ])
    expect(found(first, deletion(4, 5), waits(6), passed(8))).toEqual([
      'latches: W: its call w on the latch job passed, although no count was set',
    ])
    // The one before may be back.
    expect(found(first, set(4, 5, 1), fault(5, 6, { excuses: ['exclusion'] }), waits(7), passed(8))).toEqual(
      [],
    )
  })

  it('does not time out when the latch has opened long before', () => {
    const opened = [...set(0, 1, 1), ...countDown(2, 3, null, 0)]
    expect(found(opened, waits(2, 300), refused(302, 'w'))).toEqual([
      'latches: W: its call w on the latch job timed out, although the latch had opened',
    ])
    expect(found(opened, set(4, 5, 1), waits(2, 300), refused(302, 'w'))).toEqual([])
    // The reply may take longer than such a wait.
    expect(found(opened, waits(200, 14), refused(214, 'w'))).toEqual([])
    expect(found(opened, fault(100, 110, { disturbs: 'all' }), waits(2, 300), refused(302, 'w'))).toEqual([])
  })

  it('finds the latch gone only if it was deleted, or may have been lost', () => {
    const gone = refused(9, 'w', 'gone')
    expect(found(set(0, 1, 1), waits(2), gone)).toHaveLength(1)
    const restart = fault(3, 4, { disturbs: 'all' })
    expect(found(set(0, 1, 1), waits(2), restart, gone)).toHaveLength(1)
    expect(found(set(0, 1, 1), waits(2), restart, set(5, 6, 1), gone)).toEqual([])
    expect(found(set(0, 1, 1), waits(2), deletion(3, 4), gone)).toEqual([])
    expect(found(set(0, 1, 1), waits(2), fault(5, 6, { excuses: ['exclusion'] }), gone)).toEqual([])
  })
})

it('a step of a latch settles, unless its process was killed', () => {
  const counting: HistoryEvent = { kind: 'counting', ...of(0, 'c0'), party: null }
  expect(found(counting)).toEqual(['latches: C: its call c0 on the latch job was never settled'])
  expect(found(counting, killed(5, 'C'))).toEqual([])
})

describe('the members of one call', () => {
  const member = (call: string, name: string): HistoryEvent[] => [
    requested(0, call, { lock: name, together: 't' }),
  ]
  const holds = (call: string, name: string) => acquired(1, call, 100, { lock: name })
  const both = [...member('a1', 'x'), ...member('a2', 'y')]
  const end = (
    kind: 'left' | 'released' | 'lost',
    atMs: number,
    call: string,
    name: string,
  ): HistoryEvent => ({
    ...ended(kind, atMs, call),
    ...{ lock: name },
  })

  it('are acquired all or none', () => {
    const left = [end('left', 5, 'a1', 'x'), end('released', 6, 'a1', 'x')]
    expect(found(both, holds('a1', 'x'), left, refused(7, 'a2', 'unavailable', { lock: 'y' }))).toEqual([
      expect.stringMatching(/^progress: .* ended with unavailable/),
      'together: A: y was not acquired with the others of its call',
    ])
  })

  it('are lost together, of which a disturbance of one is cause enough', () => {
    const held = [...both, holds('a1', 'x'), holds('a2', 'y')]
    const disturbed = fault(2, 3, { disturbs: 'all', locks: ['x'] })
    const lost = [end('lost', 5, 'a1', 'x'), end('lost', 5, 'a2', 'y')]
    expect(found(held, disturbed, lost)).toEqual([])
    const outlives = [...held, ...disturbed, end('lost', 5, 'a1', 'x')]
    expect(found(outlives, { ...confirmed(8, 'a2', 90), ...{ lock: 'y' } })).toEqual([
      'together: A: y was claimed after another of its call was lost',
    ])
    expect(found(outlives)).toEqual(['together: A: y outlived the loss of another of its call'])
  })
})

it('a holder is notified of its loss by its deadline', () => {
  const held = [requested(0, 'a'), acquired(1, 'a', 50), ...fault(2, 3, { disturbs: 'all' })]
  expect(found(held, ended('lost', 120, 'a'))).toEqual([])
  expect(found(held, ended('lost', 250, 'a'))).toEqual([
    'losses: A: its call a on job was notified of its loss 200.0 ms after its deadline',
  ])
})
