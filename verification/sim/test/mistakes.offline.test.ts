import { Bundle, hunt, mistakes } from '@holdfast/sim'

let bundle: Bundle
beforeAll(async () => {
  bundle = await Bundle.make()
})

it('there are at least 40 of them, each under a name of its own', () => {
  expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length)
  expect(mistakes.length).toBeGreaterThanOrEqual(40)
})

it.each(mistakes)('random schedules show that, on $engine, $name', async (mistake) => {
  expect(await hunt(mistake, bundle, 500)).not.toBeNull()
})
