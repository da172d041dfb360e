import { withBreaks } from './points.js'

it('a chart has a break where its points are further apart than a few intervals', () => {
  expect(withBreaks([1_000, 2_000, 5_900, 30_000, 31_000], 1_000)).toEqual([
    { at: 1_000, index: 0 },
    { at: 2_000, index: 1 },
    { at: 5_900, index: 2 },
    { at: 6_900, index: null },
    { at: 30_000, index: 3 },
    { at: 31_000, index: 4 },
  ])
  expect(withBreaks([1_000, 30_000], 10_000)).toHaveLength(2)
  expect(withBreaks([], 1_000)).toEqual([])
})
