import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, asked, ended, fault, killed, lock, refused, stalled } from './story.js'

const options = { slackMs: 20, settleMs: 100, commandTimeoutMs: 50, recoveryMs: 10 }

function problems(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), options)
    .filter(({ promise }) => promise === 'progress')
    .map(({ message }) => message)
}

it('a call that is never settled is told', () => {
  const call = asked(0, 'a1')
  expect(checkHistory([call], options)).toEqual([
    { promise: 'progress', lock, message: 'A: its call a1 on job was never settled', events: [call] },
  ])
})

it('nothing is owed to a process that was killed, unless it asked afterwards', () => {
  expect(problems(asked(0, 'a1'), killed(0, 'A'))).toEqual([])
  expect(problems(asked(0, 'a1'), killed(50, 'B'))).toHaveLength(1)
  expect(problems(killed(0, 'A'), asked(1, 'a1'))).toHaveLength(1)
})

it('an unforeseen refusal is told with its message', () => {
  expect(problems(asked(0, 'a1'), refused(1, 'a1', 'other', { message: 'boom' }))).toEqual([
    'A: its call a1 on job failed in an unforeseen way: boom',
  ])
  expect(problems(asked(0, 'a1'), refused(1, 'a1', 'aborted'))).toEqual([])
})

describe('a call with waitMs', () => {
  const call = asked(0, 'a1', { waitMs: 200 })

  it('settles by its end and the slack', () => {
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

  it('has no more time because of a fault that does not stop its process', () => {
    expect(problems(call, ...fault(100, 200, { disturbs: 'all' }), refused(230, 'a1'))).toHaveLength(1)
  })

  it('has the time more for which its process was frozen', () => {
    const freeze = fault(100, 200, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, refused(320, 'a1'))).toEqual([])
    expect(problems(call, ...freeze, refused(321, 'a1'))).toHaveLength(1)
    const other = fault(100, 200, { fault: 'freezeProcess', disturbs: ['B'] })
    expect(problems(call, ...other, refused(320, 'a1'))).toHaveLength(1)
  })

  it('has the time more for which its process stalled, as far as it was its own', () => {
    expect(problems(call, stalled(250, 'A', 80), refused(300, 'a1'))).toEqual([])
    expect(problems(call, stalled(250, 'A', 80), refused(301, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(250, 'B', 80), refused(300, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(20, 'A', 80), refused(240, 'a1'))).toEqual([])
    expect(problems(call, stalled(20, 'A', 80), refused(241, 'a1'))).toHaveLength(1)
    expect(problems(call, stalled(300, 'A', 80), refused(280, 'a1'))).toEqual([])
    expect(problems(call, stalled(301, 'A', 80), refused(280, 'a1'))).toHaveLength(1)
  })

  it('gets the time of a stall that was a freeze once', () => {
    const freeze = fault(100, 200, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, stalled(210, 'A', 120), refused(340, 'a1'))).toEqual([])
    expect(problems(call, ...freeze, stalled(210, 'A', 120), refused(341, 'a1'))).toHaveLength(1)
  })

  it('of 0 takes one attempt', () => {
    const once = asked(0, 'a1', { waitMs: 0 })
    expect(problems(once, refused(1, 'a1'))).toEqual([])
    expect(problems(once, refused(70, 'a1', 'unavailable'))).toEqual([])
    expect(problems(once, refused(71, 'a1', 'unavailable'))).toHaveLength(1)
  })
})

describe('a call without waitMs', () => {
  it('settles within the time to settle', () => {
    expect(problems(asked(0, 'a1'), acquired(100, 'a1', 300))).toEqual([])
    expect(problems(asked(0, 'a1'), acquired(101, 'a1', 300))).toEqual([
      'A: its call a1 on job took 101.0 ms to settle, 100.0 ms are allowed',
    ])
  })

  it('has that time from the last heal', () => {
    const faults = [...fault(10, 50, {}), ...fault(20, 40, { id: 'g' }), ...fault(90, null, { id: 'h' })]
    expect(problems(asked(0, 'a1'), ...faults, acquired(150, 'a1', 300))).toEqual([])
    expect(problems(asked(0, 'a1'), ...faults, acquired(151, 'a1', 300))).toHaveLength(1)
    expect(problems(asked(60, 'a1'), ...faults, acquired(160, 'a1', 300))).toEqual([])
    expect(problems(asked(60, 'a1'), ...faults, acquired(161, 'a1', 300))).toHaveLength(1)
  })

  it('has the time more for which its process stood still', () => {
    expect(problems(asked(0, 'a1'), stalled(90, 'A', 50), acquired(150, 'a1', 300))).toEqual([])
    expect(problems(asked(0, 'a1'), stalled(90, 'A', 50), acquired(151, 'a1', 300))).toHaveLength(1)
  })

  it('is not ended by an outage', () => {
    expect(problems(asked(0, 'a1'), refused(50, 'a1', 'unavailable', { message: 'boom' }))).toEqual([
      'A: its call a1 on job ended as unavailable, though it was to wait without an end: boom',
    ])
    for (const reason of ['aborted', 'lost', 'closed', 'refused', 'replication'] as const)
      expect(problems(asked(0, 'a1'), refused(50, 'a1', reason))).toEqual([])
  })

  it('may hear that its release found no Redis', () => {
    const held = [asked(0, 'a1'), acquired(1, 'a1', 300), ended('left', 10, 'a1')]
    expect(problems(held, refused(12, 'a1', 'unavailable'))).toEqual([])
  })

  it('does not time out', () => {
    expect(problems(asked(0, 'a1'), refused(50, 'a1'))).toEqual([
      'A: its call a1 on job timed out, though it was to wait without an end',
    ])
  })
})

describe('a call whose signal aborts', () => {
  const call = asked(0, 'a1', { abortAtMs: 50 })

  it('settles by then and the slack', () => {
    expect(problems(call, refused(70, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, acquired(70, 'a1', 300))).toEqual([])
    expect(problems(call, refused(70.1, 'a1', 'aborted'))).toEqual([
      'A: its call a1 on job settled 20.1 ms after its signal aborted',
    ])
    expect(problems(call, acquired(70.1, 'a1', 300))).toHaveLength(1)
  })

  it('has the time more for which its process stood still after the abort', () => {
    expect(problems(call, stalled(90, 'A', 60), refused(110, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, stalled(90, 'A', 60), refused(110.1, 'a1', 'aborted'))).toHaveLength(1)
    const freeze = fault(40, 90, { fault: 'freezeProcess', disturbs: ['A'] })
    expect(problems(call, ...freeze, refused(110, 'a1', 'aborted'))).toEqual([])
    expect(problems(call, ...freeze, refused(110.1, 'a1', 'aborted'))).toHaveLength(1)
  })
})

describe('a call that left', () => {
  const held = [asked(0, 'a1'), acquired(1, 'a1', 300), ended('left', 10, 'a1')]

  it('is told that it released, or that it lost, before or after', () => {
    expect(problems(held, ended('released', 12, 'a1'))).toEqual([])
    expect(problems(held, ended('lost', 12, 'a1'))).toEqual([])
    expect(problems(held, ended('lost', 5, 'a1'))).toEqual([])
    expect(problems(held)).toEqual(['A: its call a1 on job left, and was never told whether it released'])
  })

  it('may be told that its release was refused', () => {
    expect(problems(held, refused(12, 'a1', 'refused'))).toEqual([])
    expect(problems(held, refused(12, 'a1', 'other'))).toHaveLength(1)
  })

  it('is told with the first word, whatever is said again', () => {
    const again = [ended('lost', 500, 'a1'), ended('released', 500, 'a1'), acquired(500, 'a1', 900)]
    expect(problems(held, ended('lost', 12, 'a1'), ...again)).toEqual([])
    expect(problems(held, ended('released', 12, 'a1'), ...again)).toEqual([])
  })

  it('is told by name of its call', () => {
    const inner = [asked(2, 'a2'), acquired(3, 'a1', 300, { call: 'a2', count: 2 })]
    const left = ended('left', 5, 'a1', 'a2')
    expect(problems(held, inner, left, ended('released', 12, 'a1'))).toHaveLength(1)
  })

  it('is owed nothing when its process was killed', () => {
    expect(problems(held, killed(11, 'A'))).toEqual([])
  })

  it('is told within the time to settle, from the last heal', () => {
    expect(problems(held, ended('released', 110, 'a1'))).toEqual([])
    expect(problems(held, ended('released', 111, 'a1'))).toHaveLength(1)
    expect(problems(held, ...fault(20, 50, {}), ended('released', 150, 'a1'))).toEqual([])
    expect(problems(held, ...fault(20, 50, {}), ended('released', 151, 'a1'))).toHaveLength(1)
  })

  it('has the time more for which its process stood still', () => {
    expect(problems(held, stalled(90, 'A', 50), ended('released', 160, 'a1'))).toEqual([])
    expect(problems(held, stalled(90, 'A', 50), ended('released', 161, 'a1'))).toHaveLength(1)
  })
})
