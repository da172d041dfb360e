import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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

it('skips what misses a server, with the reason in its title, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'missing-server-'))
  try {
    const environment = join(__dirname, '../lib/skips-without-server.mjs')
    await writeFile(join(folder, 'jest.config.json'), JSON.stringify({ testEnvironment: environment }))
    await writeFile(
      join(folder, 'some.test.js'),
      `const none = Object.assign(new Error('No etcd found. Install it'), { name: 'NoServerError' })
      describe('a store', () => {
        let server
        beforeAll(() => { throw none })
        it('works', () => expect(server.works).toBe(true))
        afterAll(() => server.stop())
      })
      it('starts one', () => { throw new Error('Command failed: ' + none) })
      it('fails', () => { throw new Error('broken') })
      it('passes', () => {})`,
    )
    const jest = join(__dirname, '../../node_modules/jest/bin/jest.js')
    const child = spawn(process.execPath, [jest, '--json', '--outputFile=result.json'], { cwd: folder })
    await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)])
    const result = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'))
    const [{ assertionResults, message }] = result.testResults
    expect(Object.fromEntries(assertionResults.map(({ title, status }) => [title, status]))).toEqual({
      'works (skipped: No etcd found)': 'pending',
      'starts one (skipped: No etcd found)': 'pending',
      fails: 'failed',
      passes: 'passed',
    })
    expect(message).not.toContain('reading')
  } finally {
    await rm(folder, { recursive: true })
  }
})
