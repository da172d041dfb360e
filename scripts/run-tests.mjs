// Usage: node scripts/run-tests.mjs [--all | --rest] [--install] [arguments of Jest…]
// Runs the tests that need Node.js and one Redis; with --all those of all servers that are found here, with --rest only what --all adds.
// --install first installs the servers that are missing. Without a Redis it runs what needs no server, says what was left out, and
// fails: a run that left out most tests must not be taken for one that passed them.
import { spawnSync } from 'node:child_process'
import { NoRedisError, openRedis } from '@holdfast/testkit'
import { installServers, missingServers } from './lib/servers.mjs'
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

const filesOf = (...projects) =>
  jest(['--listTests', '--selectProjects', ...projects], 'pipe')
    .stdout.trim()
    .split('\n').length

const own = new Set(['--all', '--rest', '--install'])
const [flags, args] = [true, false].map((isOwn) =>
  process.argv.slice(2).filter((arg) => own.has(arg) === isOwn),
)
const notInstalled = flags.includes('--install') ? installServers() : []

const few = ['unit', 'no-server', 'redis']
const projects = flags.includes('--rest') ? ['rest'] : flags.includes('--all') ? [...few, 'rest'] : few
const howToGetRedis = await missingRedis()
const selected = howToGetRedis === null ? projects : ['unit', 'no-server']
if (howToGetRedis !== null) console.error('No Redis server found: running the tests that need none.\n')
// The projects come last: they would swallow a pattern that follows them.
const { status } = jest([...args, '--selectProjects', ...selected])
process.exitCode = notInstalled.length > 0 ? 1 : (status ?? 1)

if (howToGetRedis !== null) {
  console.error(`
LEFT OUT: ${filesOf('redis', 'rest')} test files that need a Redis server, among them all that show that locks on Redis work.
${status === 0 ? 'What was run passed. The' : 'Of what was run, some failed. The'} exit code is 1, since not everything was tested.

${howToGetRedis}`)
  process.exitCode = 1
} else if (!projects.includes('rest')) {
  console.error(
    `\nLeft out: ${filesOf('rest')} test files of other stores, drivers, frameworks and several servers; npm run test:all runs them.`,
  )
} else if (missingServers().length > 0) {
  const names = missingServers().join(', ')
  console.error(
    `\nNot installed: ${names}. Redis and memcached are unpacked if possible; tests of others are skipped. npm run test:all -- --install installs all.`,
  )
}
