// Usage: node scripts/budgets.mjs
// What core costs those who read, load and call it, each with a bound that is today's figure. Takes a few seconds, on what is built. A change
// that lowers a figure lowers its bound; one that needs a higher bound says why.
import { createHook } from 'node:async_hooks'
import { readdirSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { register } from 'node:module'
import { basename } from 'node:path'
import { buildSync } from 'esbuild'
import { root } from './lib/workspace.mjs'

const bounds = {
  files: 83,
  lines: 22_875,
  'files over 900 lines': 0,
  'files under 15 lines': 1,
  'uses of Pick<': 25,
  'interfaces named …Deps': 0,
  'files on the way of a free withLock': 33,
  'calls per cycle': 403,
  'promises per cycle': 21,
  'bundle of one lock with Holdfast, bytes': 258_910,
  'bundle of one lock with LockClient, bytes': 175_340,
}

/** Files that only say what is public may be short. */
const isFace = (file) => basename(file) === 'index.ts'

/**
 * What stands on core as packages of others would, and is not counted: another Redis library and metrics. `.dependency-cruiser.cjs` keeps
 * the core from naming them.
 */
const isOutside = (file) => /^(node-redis|metrics|otel|prometheus)\//.test(file)

function sources() {
  const folder = `${root}packages/core/src/`
  const files = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !/\.spec\.ts$|generated\.ts$/.test(file) && !isOutside(file),
  )
  const texts = files.map((file) => readFileSync(folder + file, 'utf8'))
  const lengths = texts.map((text) => text.split('\n').length - 1)
  const count = (pattern) => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
  return {
    files: files.length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
    'files over 900 lines': lengths.filter((length) => length > 900).length,
    'files under 15 lines': files.filter((file, i) => lengths[i] < 15 && !isFace(file)).length,
    'uses of Pick<': count(/\bPick</g),
    'interfaces named …Deps': count(/\binterface \w+Deps\b/g),
  }
}

// What is published is bundled, and has no files to tell apart.
const hooks = `export const resolve = (name, context, next) =>
  next(name.replace(/^@holdfast\\/(core|watchdog|pubsub)$/, ${JSON.stringify(`file://${root}packages/`)} + '$1/build/index.js'), context)`

/** By counts of V8, which it keeps for each function, on Redis. */
async function cycles() {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`)
  const { openRedis, uniqueName } = await import('@holdfast/testkit')
  const { Holdfast } = await import('@holdfast/core')
  const redis = await openRedis()
  // So that nothing is due by time meanwhile.
  const holdfast = new Holdfast({ redis: redis.url, watchdogTimeoutMs: 600_000 })
  const lock = holdfast.getLock(uniqueName('budgets'))
  const run = async (times) => {
    for (let i = 0; i < times; i++) await lock.withLock(() => undefined)
  }
  await run(20)
  let promises = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++
    },
  }).enable()
  await run(many)
  hook.disable()
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true })
  await run(many)
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  inspector.disconnect()
  await holdfast.close()
  await redis.stop()
  const ours = result.filter(({ url }) => /packages\/(core|watchdog|pubsub)\/build\//.test(url))
  // Each cycle calls a file that is on its way; a timer calls others now and then.
  const callsIn = ({ functions }) =>
    functions
      .filter(({ functionName }) => functionName !== '')
      .reduce((sum, { ranges: [whole] }) => sum + whole.count, 0)
  return {
    'files on the way of a free withLock': ours.filter((file) => callsIn(file) >= many).length,
    'calls per cycle': Math.round(ours.reduce((sum, file) => sum + callsIn(file), 0) / many),
    'promises per cycle': Math.round(promises / many),
  }
}

const many = 200

/** Of a minified program, without ioredis. */
function bundled(client, entry) {
  const program = `import { ${client} } from '${entry}'
    await new ${client}({ redis: 'redis://localhost' }).getLock('one').withLock(() => undefined)`
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir: `${root}bench` },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: ['ioredis'],
    // Its paths lead to sources.
    tsconfigRaw: {},
    write: false,
  })
  return outputFiles[0].contents.length
}

const figures = {
  ...sources(),
  ...(await cycles()),
  'bundle of one lock with Holdfast, bytes': bundled('Holdfast', '@holdfast/core'),
  'bundle of one lock with LockClient, bytes': bundled('LockClient', '@holdfast/core/lock'),
}
for (const [what, bound] of Object.entries(bounds)) {
  const isExceeded = figures[what] > bound
  console.log(`${isExceeded ? 'OVER ' : '     '}${what}: ${figures[what]} (at most ${bound})`)
  if (isExceeded) process.exitCode = 1
}
