import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, requested, ended, fault, killed, lock, refused, stalled } from './short-events.js'

const options = { slackMs: 20, settleMs: 100, commandTimeoutMs: 50, recoveryMs: 10 }

function problems(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), options)
    .filter(({ promise }) => promise === 'progress')
    .map(({ message }) => message)
}

it('a call that is never settled is reported', () => {
  const call = requested(0, 'a1')
  expect(checkHistory([call], options)).toEqual([
    { promise: 'progress', lock, message: 'A: its call a1 on job was never settled', events: [call] },
  ])
})

it('calls of a killed process need not settle, unless they were made afterwards', () => {
  expect(problems(requested(0, 'a1'), killed(0, 'A'))).toEqual([])
  expect(problems(requested(0, 'a1'), killed(50, 'B'))).toHaveLength(1)
  expect(problems(killed(0, 'A'), requested(1, 'a1'))).toHaveLength(1)
})

it('an unexpected refusal is reported with its message', () => {
  expect(problems(requested(0, 'a1'), refused(1, 'a1', 'other', { message: 'boom' }))).toEqual([
    'A: its call a1 on job failed unexpectedly: boom',
  ])
  expect(problems(requested(0, 'a1'), refused(1, 'a1', 'aborted'))).toEqual([])
})

it('a store that refuses something is reported unless it may say so', () => {
  const events = [requested(0, 'a1'), refused(1, 'a1', 'refused', { message: 'a replica' })]
  const problemsIf = (mayRefuse: RegExp): number => checkHistory(events, { ...options, mayRefuse }).length
  expect(problems(events)).toEqual([])
  expect(problemsIf(/replica/)).toBe(0)
  expect(problemsIf(/master/)).toBe(1)
})

describe('a call with waitMs', () => {
  const call = requested(0, 'a1', { waitMs: 200 })

  it('settles within its waitMs and the slack', () => {
    expect(problems(call, refused(220, 'a1'))).toEqual([])
    expect(problems(call, acquired(220, 'a1', 300))).toEqual([])
    expect(problems(call, refused(220.1, 'a1'))).toEqual([
      'A: its call a1 on job settled after 220.1 ms, with waitMs 200',
    ])
    expect(problems(call, acquired(221, 'a1', 300))).toHaveLength(1)
  })

  it('does not time out early', () => {
    expect(problems(call, refused(198, 'a1'))).toEqual([])
    expect(problems(call, refused(197.9, 'a1'))).toHaveLength(1)
    expect(problems(call, refused(100, 'a1', 'aborted'))).toEqual([])
  })

  it('gets no extra time for a fault that does not stop its process', () =>
    expect(problems(call, ...fault(100, 200, { disturbs: 'all' }), refused(230, 'a1'))).toHaveLength(1))

  it('gets extra time while its process was frozen', () => {
    const freeze = fault(100, 200, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, refused(320, 'a1'))).toEqual([])
    expect(problems(call, ...freeze, refused(321, 'a1'))).toHaveLength(1)
    const other = fault(100, 200, { fault: 'freezeProcess', disturbs: ['B'] })
    expect(problems(call, ...other, refused(320, 'a1'))).toHaveLength(1)
  })

  it('gets extra time while its own process stalled during the call', () => {
    expect(problems(call, stalled(250, 'A', 80), refused(300, 'a1'))).toEqual([])
    expect(problems(call, stalled(250, 'A', 80), refused(301, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(250, 'B', 80), refused(300, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(20, 'A', 80), refused(240, 'a1'))).toEqual([])
    expect(problems(call, stalled(20, 'A', 80), refused(241, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(300, 'A', 80), refused(280, 'a1'))).toEqual([])
    expect(problems(call, stalled(301, 'A', 80), refused(280, 'a1'))).toHaveLength(1)
  })

  it('gets the time of a stall caused by a freeze only once', () => {
    const freeze = fault(100, 200, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, stalled(210, 'A', 120), refused(340, 'a1'))).toEqual([])
    expect(problems(call, ...freeze, stalled(210, 'A', 120), refused(341, 'a1'))).toHaveLength(1)
  })

  it('of 0 makes one attempt', () => {
    const once = requested(0, 'a1', { waitMs: 0 })
    expect(problems(once, refused(1, 'a1'))).toEqual([])
    expect(problems(once, refused(70, 'a1', 'unavailable'))).toEqual([])
    expect(problems(once, refused(71, 'a1', 'unavailable'))).toHaveLength(1)
  })
})

describe('a call without waitMs', () => {
  it('settles within the time to settle', () => {
    expect(problems(requested(0, 'a1'), acquired(100, 'a1', 300))).toEqual([])
    expect(problems(requested(0, 'a1'), acquired(101, 'a1', 300))).toEqual([
      'A: its call a1 on job took 101.0 ms to settle, 100.0 ms are allowed',
    ])
  })

  it('has that time from the last heal on', () => {
    const faults = [...fault(10, 50, {}), ...fault(20, 40, { id: 'g' }), ...fault(90, null, { id: 'h' })]
    expect(problems(requested(0, 'a1'), ...faults, acquired(150, 'a1', 300))).toEqual([])
    expect(problems(requested(0, 'a1'), ...faults, acquired(151, 'a1', 300))).toHaveLength(1)
    expect(problems(requested(60, 'a1'), ...faults, acquired(160, 'a1', 300))).toEqual([])
    expect(problems(requested(60, 'a1'), ...faults, acquired(161, 'a1', 300))).toHaveLength(1)
  })

  it('gets extra time while its process did not run', () => {
    expect(problems(requested(0, 'a1'), stalled(90, 'A', 50), acquired(150, 'a1', 300))).toEqual([])
    expect(problems(requested(0, 'a1'), stalled(90, 'A', 50), acquired(151, 'a1', 300))).toHaveLength(1)
  })

  it('is not ended by an outage', () => {
    expect(problems(requested(0, 'a1'), refused(50, 'a1', 'unavailable', { message: 'boom' }))).toEqual([
      'A: its call a1 on job ended with unavailable, although its wait was unlimited: boom',
    ])
    for (const reason of ['aborted', 'lost', 'closed', 'refused', 'replication'] as const)
      expect(problems(requested(0, 'a1'), refused(50, 'a1', reason))).toEqual([])
  })

  it('may learn that its release did not reach Redis', () => {
    const held = [requested(0, 'a1'), acquired(1, 'a1', 300), ended('left', 10, 'a1')]
    expect(problems(held, refused(12, 'a1', 'unavailable'))).toEqual([])
  })

  it('does not time out', () => {
    expect(problems(requested(0, 'a1'), refused(50, 'a1'))).toEqual([
      'A: its call a1 on job timed out, although its wait was unlimited',
    ])
  })
})

describe('a call whose signal aborts', () => {
  const call = requested(0, 'a1', { abortAtMs: 50 })

  it('settles within the slack after the abort', () => {
    expect(problems(call, refused(70, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, acquired(70, 'a1', 300))).toEqual([])
    expect(problems(call, refused(70.1, 'a1', 'aborted'))).toEqual([
      'A: its call a1 on job settled 20.1 ms after its signal aborted',
    ])
    expect(problems(call, acquired(70.1, 'a1', 300))).toHaveLength(1)
  })

  it('gets extra time while its process did not run after the abort', () => {
    expect(problems(call, stalled(90, 'A', 60), refused(110, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, stalled(90, 'A', 60), refused(110.1, 'a1', 'aborted'))).toHaveLength(1)
    const freeze = fault(40, 90, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, refused(110, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, ...freeze, refused(110.1, 'a1', 'aborted'))).toHaveLength(1)
  })

  it('gets extra time for as long as its machine slept before the abort, since the clock of the signal stood still', () => {
    const sleep = fault(10, 30, { fault: 'suspendMachine', disturbs: ['A'] })
    expect(problems(call, ...sleep, refused(90, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, ...sleep, refused(90.1, 'a1', 'aborted'))).toHaveLength(1)
  })
})

describe('a call that left', () => {
  const held = [requested(0, 'a1'), acquired(1, 'a1', 300), ended('left', 10, 'a1')]

  it('gets a successful release or a loss, before or after leaving', () => {
    expect(problems(held, ended('released', 12, 'a1'))).toEqual([])
    expect(problems(held, ended('lost', 12, 'a1'))).toEqual([])
    expect(problems(held, ended('lost', 5, 'a1'))).toEqual([])
    expect(problems(held)).toEqual(['A: its call a1 on job left, and its release was never acknowledged'])
  })

  it('may get a refusal of its release', () => {
    expect(problems(held, refused(12, 'a1', 'refused'))).toEqual([])
    expect(problems(held, refused(12, 'a1', 'other'))).toHaveLength(1)
  })

  it('is settled by the first outcome, whatever follows', () => {
    const again = [ended('lost', 500, 'a1'), ended('released', 500, 'a1'), acquired(500, 'a1', 900)]
    expect(problems(held, ended('lost', 12, 'a1'), ...again)).toEqual([])
    expect(problems(held, ended('released', 12, 'a1'), ...again)).toEqual([])
  })

  it('is settled only by events of its own call', () => {
    const inner = [requested(2, 'a2'), acquired(3, 'a1', 300, { call: 'a2', count: 2 })]
    const left = ended('left', 5, 'a1', 'a2')
    expect(problems(held, inner, left, ended('released', 12, 'a1'))).toHaveLength(1)
  })

  it('needs no outcome when its process was killed', () =>
    expect(problems(held, killed(11, 'A'))).toEqual([]))

  it('gets its outcome within the time to settle, from the last heal on', () => {
    expect(problems(held, ended('released', 110, 'a1'))).toEqual([])
    expect(problems(held, ended('released', 111, 'a1'))).toHaveLength(1)
    expect(problems(held, ...fault(20, 50, {}), ended('released', 150, 'a1'))).toEqual([])
    expect(problems(held, ...fault(20, 50, {}), ended('released', 151, 'a1'))).toHaveLength(1)
  })

  it('gets extra time while its process did not run', () => {
    expect(problems(held, stalled(90, 'A', 50), ended('released', 160, 'a1'))).toEqual([])
    expect(problems(held, stalled(90, 'A', 50), ended('released', 161, 'a1'))).toHaveLength(1)
  })
})
