// Usage: node scripts/run-tests.mjs [arguments of Jest…]
// Runs all tests. Where there is no Redis server it runs those that need none, says what was left out, and fails: a run that
// left out most tests must not be taken for one that passed them.
import { spawnSync } from 'node:child_process'
import { NoRedisError, openRedis } from '@holdfast/testkit'
import { root } from './lib/workspace.mjs'

/** Runs Jest to its end. What it prints goes to the terminal, unless it is to be read. */
function jest(args, stdout = 'inherit') {
  const program = `${root}node_modules/jest/bin/jest.js`
  return spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', stdout, 'inherit'],
  })
}

/** How to get a Redis server, or `null` if there is one. */
async function missingRedis() {
  try {
    const redis = await openRedis()
    await redis.stop()
    return null
  } catch (error) {
    if (error instanceof NoRedisError) return error.message
    throw error
  }
}

const args = process.argv.slice(2)
const howToGetOne = await missingRedis()
if (howToGetOne === null) {
  process.exitCode = jest(args).status ?? 1
} else {
  console.error('No Redis server found: running the tests that need none.\n')
  // The projects come last: they would swallow a pattern that follows them.
  const { status } = jest([...args, '--selectProjects', 'unit', 'no-server'])
  const leftOut = jest(['--listTests', '--selectProjects', 'integration'], 'pipe').stdout.trim().split('\n')
  console.error(`
LEFT OUT: ${leftOut.length} test files that need a Redis server, among them all that show that locks on Redis work.
${status === 0 ? 'What was run passed. The' : 'Of what was run, some failed. The'} exit code is 1, since not everything was tested.

${howToGetOne}`)
  process.exitCode = 1
}
