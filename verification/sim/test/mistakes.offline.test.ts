import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { mistakes } from '@holdfast/sim'

it('there are at least 40 of them, each under a name of its own', () => {
  expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length)
  expect(mistakes.length).toBeGreaterThanOrEqual(40)
})

// In a process of its own: storages that tests before it left behind would make each promise slower.
it('random schedules show each of them', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [`${__dirname}/../dist/sim.js`, '--mistakes'])
  expect(stdout).not.toContain('NOT CAUGHT')
})
