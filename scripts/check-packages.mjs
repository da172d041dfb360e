// Usage: node scripts/check-packages.mjs
// Packs every published package as the registry would get it, checks the tarballs and publishes them as a dry run, then installs
// them into fresh projects (test/consumers), ESM and CommonJS, that are type-checked and lock something on a real Redis. One has no
// declarations of Node.js. Another runs on Bun and Deno too, and with HOLDFAST_MATRIX=full on each supported version of Node.js.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isFullMatrix, openRedis } from '@holdfast/testkit'
import { installConsumer, installedVersion, run, step, tarballs } from './lib/consumer.mjs'
import { pinnedPnpm } from './lib/pinned-pnpm.mjs'
import { installRuntime } from './lib/runtimes.mjs'
import { tarballProblems } from './lib/tarball.mjs'
import { folderOf, publishedPackages, root } from './lib/workspace.mjs'

const bin = `${root}node_modules/.bin/`
/** A dry run must work without a registry, and must not wait for one. */
const withoutRegistry = { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' }

/** The text of every file of a tarball, by its path in the package. */
function readTarball(name) {
  mkdirSync(`${tarballs}${name}`, { recursive: true })
  run(['tar', '-xzf', `${tarballs}${name}.tgz`, '-C', `${tarballs}${name}`])
  const folder = `${tarballs}${name}/package/`
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map((file) => relative(folder, join(file.parentPath, file.name)))
  return new Map(paths.map((path) => [path, readFileSync(`${folder}${path}`, 'utf8')]))
}

function checkTarball(name) {
  const tarball = `${tarballs}${name}.tgz`
  const folder = `${root}${folderOf(name)}/`
  step(`pack ${name}`, () => {
    run([...pinnedPnpm(), 'pack', '--out', tarball], folder)
    const problems = tarballProblems(readTarball(name))
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  step(`publint ${name}`, () => run([`${bin}publint`, 'run', tarball, '--strict']))
  step(`attw ${name}`, () => run([`${bin}attw`, tarball, '--profile', 'strict', '--format', 'ascii']))
  // What `pnpm publish` hands a tarball to.
  const publish = ['npm', 'publish', tarball, '--dry-run']
  step(`publish ${name}, dry run`, () => run(publish, folder, withoutRegistry))
}

/** What an installation of core adds, in bytes. The sizes of bundles are in budgets.mjs. */
const mostInstalled = 1_500_000

function checkSize() {
  step('core fits its budget', () => {
    const installed = [...readTarball('core').values()].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    )
    console.log({ installed })
    if (installed > mostInstalled) throw new Error(`larger than ${mostInstalled} bytes`)
  })
}

/** The command, installed on its own, brings nothing along, and runs another one under a lock. */
function checkCommand(redisUrl) {
  step('consumer of the command', () => {
    const folder = installConsumer('cli', { ours: ['cli'] })
    const installed = readdirSync(`${folder}node_modules/.pnpm`).filter((entry) => entry.includes('@'))
    if (installed.length !== 1) throw new Error(`installs ${installed.join(', ')}`)
    const holdfast = `${folder}node_modules/.bin/holdfast`
    const show = [process.execPath, '-p', '`runs under ${process.env.HOLDFAST_LOCK}`']
    const env = { HOLDFAST_REDIS_URL: redisUrl }
    console.log(run([holdfast, 'run', `consumer-${process.pid}`, '--', ...show], folder, env).trim())
  })
}

const compiler = () => ({
  '@types/node': installedVersion('@types/node'),
  typescript: installedVersion('typescript'),
})

/**
 * Two consumers cover both module systems and both major versions of ioredis; the third has no optional peer at all.
 *
 * @param ioredis - its version; `null` to leave it out
 */
function checkConsumer(kind, entry, ioredis, redisUrl) {
  step(`consumer ${kind}, ioredis ${ioredis ?? 'not installed'}`, () => {
    const folder = installConsumer(kind, {
      source: kind,
      type: kind === 'cjs' ? 'commonjs' : 'module',
      dependencies: ioredis ? { ioredis } : {},
      devDependencies: compiler(),
    })
    run([`${folder}node_modules/.bin/tsc`, '-p', folder], folder)
    console.log(run([process.execPath, entry], folder, { REDIS_URL: redisUrl }).trim())
  })
}

/** What a program needs of its runtime, on others than the one that runs this. */
function checkRuntimes(redisUrl) {
  let folder = ''
  step('consumer for each runtime', () => {
    const ioredis = installedVersion('ioredis', 'packages/core/')
    const redis = installedVersion('redis', 'packages/core/')
    folder = installConsumer('runtime', { source: 'runtime', dependencies: { ioredis, redis } })
  })
  const runtimes = ['bun', 'deno', ...(isFullMatrix ? ['node22', 'node24', 'node26'] : [])]
  for (const name of runtimes) {
    let command
    step(`install ${name}`, () => (command = installRuntime(name)))
    if (command)
      step(`packed packages on ${name}`, () => {
        console.log(run([...command, 'index.mjs'], folder, { REDIS_URL: redisUrl }).trim())
      })
  }
}

/** A program that compiles declarations too, and has those of no platform; OpenTelemetry's own need a `console`. */
function checkTypes() {
  step('types without those of Node.js', () => {
    const folder = installConsumer('without-node-types', {
      source: 'without-node-types',
      dependencies: {
        '@opentelemetry/api': installedVersion('@opentelemetry/api', 'packages/core/'),
        'prom-client': installedVersion('prom-client', 'packages/core/'),
      },
      devDependencies: { typescript: installedVersion('typescript') },
    })
    for (const name of ['index', 'otel']) cpSync(`${folder}${name}.ts`, `${folder}${name}.cts`)
    for (const config of ['tsconfig.json', 'tsconfig.bare.json'])
      run([`${folder}node_modules/.bin/tsc`, '-p', `${folder}${config}`], folder)
  })
}

rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
for (const name of publishedPackages) checkTarball(name)
checkSize()
const redis = await openRedis()
checkConsumer('esm', 'out/index.js', installedVersion('ioredis', 'packages/core/'), redis.url)
checkConsumer('cjs', 'out/index.cjs', installedVersion('ioredis5', 'packages/core/'), redis.url)
checkConsumer('without-ioredis', 'out/index.js', null, redis.url)
checkRuntimes(redis.url)
checkTypes()
checkCommand(redis.url)
await redis.stop()
