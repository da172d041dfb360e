import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, requested, ended, fault, lock, stalled } from './short-events.js'

function problems(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), { recoveryMs: 10 })
    .filter(({ promise }) => promise === 'losses')
    .map(({ message }) => message)
}

const withoutCause = 'A: its call a1 on job lost its hold while nothing disturbed its process'
const silently = 'A: its call a1 on job lost its hold, but its signal did not abort'
const released = 'A: its call a1 on job got a successful reply to the release of a hold that it had lost'

describe('a hold that is renewed', () => {
  const held = [requested(100, 'a1'), acquired(110, 'a1', 300)]
  const loss = ended('lost', 200, 'a1')

  it('is not lost while nothing disturbs its process', () => {
    expect(checkHistory([...held, loss])).toEqual([
      { promise: 'losses', lock, message: withoutCause, events: [...held, loss] },
    ])
  })

  it('may be lost when a fault disturbs its process, until that is recovered from', () => {
    expect(problems(held, fault(200, 300, { disturbs: 'all' }), loss)).toEqual([])
    expect(problems(held, fault(80, 90, { disturbs: ['A'] }), loss)).toEqual([])
    expect(problems(held, fault(80, 89, { disturbs: ['A'] }), loss)).toEqual([withoutCause])
    expect(problems(held, fault(201, 300, { disturbs: ['A'] }), loss)).toEqual([withoutCause])
    expect(problems(held, fault(150, 160, { disturbs: ['B'] }), loss)).toEqual([withoutCause])
  })

  it('may be lost to a fault of its own lock, and not of another', () => {
    expect(problems(held, fault(150, 160, { disturbs: 'all', locks: [lock] }), loss)).toEqual([])
    expect(problems(held, fault(150, 160, { disturbs: 'all', locks: ['other'] }), loss)).toEqual([
      withoutCause,
    ])
  })

  it('may be lost when its process stalled, not when another did', () => {
    expect(problems(held, stalled(150, 'A', 40), loss)).toEqual([])
    expect(problems(held, stalled(150, 'B', 40), loss)).toEqual([withoutCause])
  })

  it('is reported once, for its first entry', () => {
    const inner = [requested(120, 'a2'), acquired(130, 'a1', 300, { call: 'a2', count: 2 })]
    expect(problems(held, inner, ended('lost', 200, 'a1', 'a2'), loss)).toEqual([withoutCause])
  })
})

describe('a hold with a fixed lease', () => {
  const held = [requested(100, 'a1', { leaseMs: 90 }), acquired(110, 'a1', 190)]

  it('may be lost', () => expect(problems(held, ended('lost', 190, 'a1'))).toEqual([]))

  it('is not lost silently', () => {
    const lossFound = ended('loss-found', 195, 'a1')
    expect(checkHistory([...held, lossFound])).toEqual([
      { promise: 'losses', lock, message: silently, events: [...held, lossFound] },
    ])
    expect(problems(held, lossFound, ended('lost', 200, 'a1'))).toEqual([silently])
  })

  it('is not released once it was lost', () => {
    const over = ended('released', 210, 'a1')
    expect(problems(held, ended('lost', 190, 'a1'), over)).toEqual([released])
    expect(problems(held, ended('loss-found', 190, 'a1'), over)).toEqual([silently, released])
    expect(problems(held, ended('lost', 190, 'a1'), ended('left', 195, 'a1'), over)).toEqual([released])
  })

  it('may be lost during its release', () => {
    expect(problems(held, ended('left', 180, 'a1'), ended('lost', 190, 'a1'))).toEqual([])
    expect(
      problems(held, ended('left', 180, 'a1'), ended('lost', 190, 'a1'), ended('released', 191, 'a1')),
    ).toEqual([])
  })
})
