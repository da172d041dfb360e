import { backoffMs } from './backoff.js'

describe('back-off', () => {
  it('doubles its upper bound with each failure, from 100 ms to 2 s', () => {
    const bounds = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => backoffMs(failures, 1))
    expect(bounds).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
  })

  it('never waits less than 50 ms', () => {
    expect([1, 3, 1_000].map((failures) => backoffMs(failures, 0))).toEqual([50, 50, 50])
  })

  it('is drawn at random in between', () => {
    expect(backoffMs(3, 0.5)).toBe(225)
    const drawn = new Set(Array.from({ length: 10 }, () => backoffMs(6)))
    expect(drawn.size).toBeGreaterThan(1)
  })
})
