import { graceMsOf, planStop } from './stop-plan.js'

it('a command gets a sixth of the lease to end, at most 5 s', () =>
  expect([3_000, 30_000, 600_000].map(graceMsOf)).toEqual([500, 5_000, 5_000]))

it('it is killed a while before the deadline', () => {
  expect(planStop(100_000, 30_000)).toEqual({ termAt: 95_000, killAt: 99_000 })
  expect(planStop(100_000, 3_000)).toEqual({ termAt: 99_500, killAt: 99_750 })
})
