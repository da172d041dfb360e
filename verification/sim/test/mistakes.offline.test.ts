import { brokenBySchedule, Bundle, mistakes } from '@holdfast/sim'

let bundle: Bundle
beforeAll(async () => {
  bundle = await Bundle.make()
})

it('there are at least 40 of them, each under a name of its own', () => {
  expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length)
  expect(mistakes.length).toBeGreaterThanOrEqual(40)
})

// `npm run sim -- --mistakes` finds other seeds, if schedules are drawn in another way.
it.each(mistakes)('is shown by its schedule: $name', async (mistake) => {
  expect(await brokenBySchedule(mistake, bundle)).not.toEqual([])
})

it.each(mistakes.filter(({ shownBy }) => typeof shownBy !== 'number'))(
  'nothing is shown without it: $name',
  async (mistake) => {
    expect(await brokenBySchedule({ ...mistake, edits: [] }, bundle)).toEqual([])
  },
)
