import { join } from 'node:path'
import { Holdfast } from '@holdfast/core'
import { sharedRedisUrl, startProxy, uniqueName, until } from '@holdfast/testkit'
import { Cli } from './support/cli.js'

const holdfast = new Holdfast({ redis: sharedRedisUrl() })

afterAll(() => holdfast.close())

const withFrozenGuard = { NODE_OPTIONS: `--require ${join(__dirname, 'fixtures/freeze-guard.cjs')}` }
const untilLocked = (name: string): Promise<boolean> =>
  until(() => holdfast.getLock(name).isLocked(), { what: `${name} to be held` })

it('a signal that arrives while the guard still starts keeps the command from starting', async () => {
  const name = uniqueName('signals')
  const runner = new Cli(['run', name, '--', 'echo', 'ran'], { env: withFrozenGuard })
  await untilLocked(name)
  runner.kill('SIGTERM')
  expect(await runner.ended()).toMatchObject({ code: 143, stdout: '', stderr: '' })
  await until(async () => !(await holdfast.getLock(name).isLocked()))
})

it('a second signal cuts the release short that the first one led to', async () => {
  const name = uniqueName('signals')
  const { hostname, port } = new URL(sharedRedisUrl())
  await using link = await startProxy({ host: hostname, port: Number(port) })
  const runner = new Cli(['run', '--timeout', '1m', name, '--', 'echo', 'ran'], {
    url: link.url,
    env: withFrozenGuard,
  })
  await untilLocked(name)
  link.blackHole('both')
  // Two kinds, because the system merges signals of one kind. Either may arrive first.
  runner.kill('SIGHUP')
  runner.kill('SIGTERM')
  const { code, stdout } = await runner.ended()
  expect([129, 143]).toContain(code)
  expect(stdout).toBe('')
  // Otherwise it would have gone on until the lease had ended.
  expect(await holdfast.getLock(name).isLocked()).toBe(true)
})
