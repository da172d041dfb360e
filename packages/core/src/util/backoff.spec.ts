import { backoffMs } from './timeouts.js'

const bounds = { firstMs: 100, longestMs: 2_000 }

describe('back-off', () => {
  it('doubles with each failure, from the first pause to the longest', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => backoffMs(failures, bounds, 1))
    expect(longest).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
  })

  it('never falls below half of that', () => {
    expect([1, 3, 1_000].map((failures) => backoffMs(failures, bounds, 0))).toEqual([50, 200, 1_000])
  })

  it('is drawn at random in between', () => {
    expect(backoffMs(3, bounds, 0.5)).toBe(300)
    const drawn = new Set(Array.from({ length: 10 }, () => backoffMs(6, bounds)))
    expect(drawn.size).toBeGreaterThan(1)
  })
})
