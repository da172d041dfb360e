import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { machineWithoutRedis } from '@holdfast/testkit'

it('without a Redis server the tests that need none run, and the rest is named and counted as a failure', async () => {
  const machine = await machineWithoutRedis()
  try {
    const runner = join(__dirname, '../run-tests.mjs')
    // A runner inside a runner: what Jest sets for its own processes would reach the other one.
    const child = spawn(process.execPath, [runner, 'release.spec'], {
      env: { ...machine.env, NO_COLOR: '1' },
    })
    const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)])
    expect(stderr).toMatch(/^No Redis server found: running the tests that need none\./)
    expect(stderr).toMatch(/PASS unit scripts\/test\/release\.spec\.mjs/)
    expect(stderr).toMatch(/LEFT OUT: \d{2,} test files that need a Redis server/)
    expect(stderr).toMatch(/What was run passed\. The exit code is 1/)
    expect(stderr).toMatch(/sudo apt-get install redis-server/)
    expect(code).toBe(1)
  } finally {
    await machine.remove()
  }
})
