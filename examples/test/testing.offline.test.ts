import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(__dirname, '..')

// A runner inside a runner: what Jest sets for its own processes would reach the other one.
const env = { PATH: process.env['PATH'], NODE_ENV: 'test', NO_COLOR: '1' }

it.each([
  ['Vitest', ['node_modules/vitest/vitest.mjs', 'run', 'testing/vitest.test.mjs'], /Tests +3 passed/],
  ['node:test', ['--test', 'testing/node.test.mjs'], /# pass 3\n# fail 0/],
  ['node:test, with Nest', ['--test', 'testing/nestjs.test.mjs'], /# pass 3\n# fail 0/],
])(
  'the tests of docs/recipes/testing.md and docs/recipes/nestjs.md pass under %s',
  async (_, args, passed) => {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
    expect(stdout).toMatch(passed)
  },
)
