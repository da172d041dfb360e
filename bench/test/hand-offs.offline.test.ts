import { handOffsIn, overtakersIn, type Visit } from '../src/hand-offs.js'

const ms = 1_000
const window = { fromUs: 100 * ms, untilUs: 200 * ms }
const visit = (waiter: string, requestedAtMs: number, enteredAtMs: number): Visit => ({
  waiter,
  requestedAtUs: requestedAtMs * ms,
  enteredAtUs: enteredAtMs * ms,
})

/** Three waiters take turns, 10 ms each, from before the window until after it. */
const turns = Array.from({ length: 30 }, (_, n) => visit(String(n % 3), 10 * (n - 3), 10 * n))

describe('a window', () => {
  it('counts the hand-offs of waiters that take turns', () => {
    const seen = handOffsIn(turns, 3, window)
    expect(seen).toMatchObject({ usPerHandOff: 10 * ms, backToLeaverShare: 0, outOfOrder: 0 })
    expect(seen.longestWaitMs).toBe(30)
    expect(seen.jain).toBeCloseTo(100 / (3 * (16 + 9 + 9)))
  })

  it('counts no hand-off when one waiter re-acquires the lock again and again', () => {
    const greedy = Array.from({ length: 20 }, (_, n) => visit('greedy', 10 * n, 10 * n + 1))
    const seen = handOffsIn([...greedy, visit('starved', -450, 300)], 2, window)
    expect(seen).toMatchObject({ usPerHandOff: 100 * ms, backToLeaverShare: 1, jain: 0.5 })
    // Still waiting at the end of the window.
    expect(seen.longestWaitMs).toBe(650)
    expect(seen.outOfOrder).toBe(10)
  })

  it('of an unused lock is empty', () =>
    expect(handOffsIn([], 2, window)).toMatchObject({ usPerHandOff: 100 * ms, jain: 0 }))
})

it('a request sent only slightly earlier may have reached the server later', () => {
  const waiting = [visit('a', -20, -10), visit('a', 0, 60)]
  expect(overtakersIn([...waiting, visit('b', 9, 50)].sort(byEntry))).toEqual([])
  const overtaker = visit('b', 11, 50)
  expect(overtakersIn([...waiting, overtaker].sort(byEntry))).toEqual([overtaker])
})

it('at the start, when all request at once, this tolerance is larger', () => {
  const waiting = visit('a', 0, 600)
  expect(overtakersIn([visit('b', 499, 550), waiting])).toEqual([])
  const overtaker = visit('b', 501, 550)
  expect(overtakersIn([overtaker, waiting])).toEqual([overtaker])
})

const byEntry = (a: Visit, b: Visit): number => a.enteredAtUs - b.enteredAtUs
