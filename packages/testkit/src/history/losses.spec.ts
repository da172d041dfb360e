import { checkHistory } from './check-history.js'
import type { HistoryEvent } from './event.js'
import { acquired, asked, ended, fault, lock, stalled } from './story.js'

function problems(...events: (HistoryEvent | HistoryEvent[])[]): string[] {
  return checkHistory(events.flat(), { recoveryMs: 10 })
    .filter(({ promise }) => promise === 'losses')
    .map(({ message }) => message)
}

const groundless = 'A: its call a1 on job lost its hold while nothing disturbed its process'
const silent = 'A: its call a1 on job lost its hold, and its signal did not say so'
const released = 'A: its call a1 on job was told that it released a hold that it had lost'

describe('a hold that is renewed', () => {
  const held = [asked(100, 'a1'), acquired(110, 'a1', 300)]
  const loss = ended('lost', 200, 'a1')

  it('is not lost while nothing disturbs its process', () => {
    expect(checkHistory([...held, loss])).toEqual([
      { promise: 'losses', lock, message: groundless, events: [...held, loss] },
    ])
  })

  it('may be lost when a fault disturbs its process, until that is recovered from', () => {
    expect(problems(held, fault(200, 300, { disturbs: 'all' }), loss)).toEqual([])
    expect(problems(held, fault(80, 90, { disturbs: ['A'] }), loss)).toEqual([])
    expect(problems(held, fault(80, 89, { disturbs: ['A'] }), loss)).toEqual([groundless])
    expect(problems(held, fault(201, 300, { disturbs: ['A'] }), loss)).toEqual([groundless])
    expect(problems(held, fault(150, 160, { disturbs: ['B'] }), loss)).toEqual([groundless])
  })

  it('may be lost to a fault of its own lock, and not of another', () => {
    expect(problems(held, fault(150, 160, { disturbs: 'all', locks: [lock] }), loss)).toEqual([])
    expect(problems(held, fault(150, 160, { disturbs: 'all', locks: ['other'] }), loss)).toEqual([groundless])
  })

  it('may be lost when its process stood still, not when another did', () => {
    expect(problems(held, stalled(150, 'A', 40), loss)).toEqual([])
    expect(problems(held, stalled(150, 'B', 40), loss)).toEqual([groundless])
  })

  it('loses once, in each of its calls that may have lost for nothing', () => {
    const inner = [asked(120, 'a2'), acquired(130, 'a1', 300, { call: 'a2', count: 2 })]
    expect(problems(held, inner, ended('lost', 200, 'a1', 'a2'), loss)).toEqual([groundless])
  })
})

describe('a hold with a fixed lease', () => {
  const held = [asked(100, 'a1', { leaseMs: 90 }), acquired(110, 'a1', 190)]

  it('may be lost', () => {
    expect(problems(held, ended('lost', 190, 'a1'))).toEqual([])
  })

  it('is not lost without a word', () => {
    const untold = ended('untold', 195, 'a1')
    expect(checkHistory([...held, untold])).toEqual([
      { promise: 'losses', lock, message: silent, events: [...held, untold] },
    ])
    expect(problems(held, untold, ended('lost', 200, 'a1'))).toEqual([silent])
  })

  it('is not released once it was lost', () => {
    const over = ended('released', 210, 'a1')
    expect(problems(held, ended('lost', 190, 'a1'), over)).toEqual([released])
    expect(problems(held, ended('untold', 190, 'a1'), over)).toEqual([silent, released])
    expect(problems(held, ended('lost', 190, 'a1'), ended('left', 195, 'a1'), over)).toEqual([released])
  })

  it('may be lost on its way out', () => {
    expect(problems(held, ended('left', 180, 'a1'), ended('lost', 190, 'a1'))).toEqual([])
    expect(
      problems(held, ended('left', 180, 'a1'), ended('lost', 190, 'a1'), ended('released', 191, 'a1')),
    ).toEqual([])
  })
})
