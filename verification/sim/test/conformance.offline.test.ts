import { Bundle, conform, engineNames } from '@holdfast/sim'

it.each(engineNames)('%s passes the conformance suite in virtual time', async (engine) => {
  const { passed, failed } = await conform(await Bundle.make(), engine)
  expect(failed).toEqual([])
  expect(passed).toBeGreaterThan(150)
})
