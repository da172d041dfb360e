// Usage: node scripts/check-packages.mjs
// Packs every published package as the registry would get it, checks the tarballs and publishes them as a dry run, then installs
// them into fresh ESM and CommonJS projects (test/consumers) that are type-checked and lock something on a real Redis. One has no
// declarations of Node.js.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openRedis } from '@holdfast/testkit'
import { pinnedPnpm } from './lib/pinned-pnpm.mjs'
import { tarballProblems } from './lib/tarball.mjs'
import { folderOf, libraries, publishedPackages, root } from './lib/workspace.mjs'

const tarballs = `${root}.cache/tarballs/`
const bin = `${root}node_modules/.bin/`
/** A dry run must work without a registry, and must not wait for one. */
const withoutRegistry = { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' }
let failures = 0

/** Runs a program and returns its output; throws with that output when it fails. */
function run([program, ...args], cwd = root, env = {}) {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...env },
    })
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`)
  }
}

function step(title, check) {
  try {
    check()
    console.log(`passed  ${title}`)
  } catch (error) {
    failures += 1
    console.log(`FAILED  ${title}\n${error.message}`)
  }
}

/** The version of a dependency that the lock file chose for a folder of the workspace. */
function installedVersion(dependency, folder = '') {
  return JSON.parse(readFileSync(`${root}${folder}node_modules/${dependency}/package.json`, 'utf8')).version
}

/** The text of every file of a tarball, by its path in the package. */
function readTarball(name) {
  mkdirSync(`${tarballs}${name}`)
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
    const hasSource = (module) => existsSync(`${folder}src/${module}.ts`)
    const problems = tarballProblems(readTarball(name), hasSource)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  step(`publint ${name}`, () => run([`${bin}publint`, 'run', tarball, '--strict']))
  step(`attw ${name}`, () => run([`${bin}attw`, tarball, '--profile', 'strict', '--format', 'ascii']))
  // What `pnpm publish` hands a tarball to.
  const publish = ['npm', 'publish', tarball, '--dry-run']
  step(`publish ${name}, dry run`, () => run(publish, folder, withoutRegistry))
}

const tarballsOf = (names) =>
  Object.fromEntries(names.map((name) => [`@holdfast/${name}`, `file:${tarballs}${name}.tgz`]))

/** The command, installed on its own, runs another one under a lock. */
function checkCommand(redisUrl) {
  const folder = `${root}.cache/consumers/cli/`
  step('consumer of the command', () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const manifest = {
      private: true,
      dependencies: tarballsOf(['cli']),
      pnpm: { overrides: tarballsOf(publishedPackages) },
    }
    writeFileSync(`${folder}package.json`, JSON.stringify(manifest, null, 2))
    run([...pinnedPnpm(), 'install', '--ignore-workspace', '--prefer-offline', '--no-lockfile'], folder)
    const holdfast = `${folder}node_modules/.bin/holdfast`
    const show = [process.execPath, '-p', '`runs under ${process.env.HOLDFAST_LOCK}`']
    const env = { HOLDFAST_REDIS_URL: redisUrl }
    console.log(run([holdfast, 'run', `consumer-${process.pid}`, '--', ...show], folder, env).trim())
  })
}

/**
 * Two consumers cover both module systems and both major versions of ioredis; the third has no optional peer at all.
 *
 * @param ioredis - its version; `null` to leave it out
 */
function checkConsumer(kind, entry, ioredis, redisUrl) {
  const folder = `${root}.cache/consumers/${kind}/`
  step(`consumer ${kind}, ioredis ${ioredis ?? 'not installed'}`, () => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(`${root}test/consumers/${kind}`, folder, { recursive: true })
    const ours = tarballsOf(libraries)
    const manifest = {
      private: true,
      type: kind === 'cjs' ? 'commonjs' : 'module',
      dependencies: { ...ours, ...(ioredis && { ioredis }) },
      devDependencies: {
        '@types/node': installedVersion('@types/node'),
        typescript: installedVersion('typescript'),
      },
      pnpm: { overrides: ours },
    }
    writeFileSync(`${folder}package.json`, JSON.stringify(manifest, null, 2))
    run([...pinnedPnpm(), 'install', '--ignore-workspace', '--prefer-offline', '--no-lockfile'], folder)
    run([`${folder}node_modules/.bin/tsc`, '-p', folder], folder)
    console.log(run([process.execPath, entry], folder, { REDIS_URL: redisUrl }).trim())
  })
}

/** A third party runs some of the conformance suite on an engine, by each test runner. */
function checkSuite(redisUrl) {
  const folder = `${root}.cache/consumers/conformance/`
  const bins = `${folder}node_modules/.bin/`
  step('consumer of the conformance suite', () => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(`${root}test/consumers/conformance`, folder, { recursive: true })
    const manifest = {
      private: true,
      type: 'module',
      dependencies: { ...tarballsOf(libraries), ioredis: installedVersion('ioredis', 'packages/core/') },
      devDependencies: {
        '@jest/globals': installedVersion('@jest/globals', 'examples/'),
        '@types/node': installedVersion('@types/node'),
        jest: installedVersion('jest'),
        typescript: installedVersion('typescript'),
        vitest: installedVersion('vitest', 'examples/'),
      },
      jest: { testMatch: ['**/jest.test.cjs'] },
      pnpm: { overrides: tarballsOf(libraries) },
    }
    writeFileSync(`${folder}package.json`, JSON.stringify(manifest, null, 2))
    run([...pinnedPnpm(), 'install', '--ignore-workspace', '--prefer-offline', '--no-lockfile'], folder)
    run([`${bins}tsc`, '-p', folder], folder)
  })
  // Scenarios on both engines, and one with a process that is frozen.
  const some = 'nested|frozen past its lease'
  const runners = [
    [
      'node:test',
      [process.execPath, '--test', '--test-name-pattern', some, 'node.test.mjs'],
      /^# pass 1\d$/m,
    ],
    [
      'Vitest',
      [`${bins}vitest`, 'run', 'vitest.test', '--testTimeout', '30000', '-t', some],
      /Tests +1\d passed/,
    ],
    ['Jest', [`${bins}jest`, '--testTimeout', '30000', '-t', some, '--json'], /"numPassedTests":1\d,/],
  ]
  for (const [name, command, passed] of runners)
    step(`the conformance suite by ${name}`, () => {
      const output = run(command, folder, { REDIS_URL: redisUrl, NO_COLOR: '1' })
      if (!passed.test(output)) throw new Error(`no test ran:\n${output}`)
    })
}

/** A program that compiles declarations too, and has those of no platform; OpenTelemetry's own need a `console`. */
function checkTypes() {
  const folder = `${root}.cache/consumers/without-node-types/`
  step('types without those of Node.js', () => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(`${root}test/consumers/without-node-types`, folder, { recursive: true })
    for (const name of ['index', 'otel']) cpSync(`${folder}${name}.ts`, `${folder}${name}.cts`)
    const ours = tarballsOf(libraries)
    const manifest = {
      private: true,
      type: 'module',
      dependencies: {
        ...ours,
        '@opentelemetry/api': installedVersion('@opentelemetry/api', 'packages/metrics/'),
        'prom-client': installedVersion('prom-client', 'packages/metrics/'),
      },
      devDependencies: { typescript: installedVersion('typescript') },
      pnpm: { overrides: ours },
    }
    writeFileSync(`${folder}package.json`, JSON.stringify(manifest, null, 2))
    run([...pinnedPnpm(), 'install', '--ignore-workspace', '--prefer-offline', '--no-lockfile'], folder)
    for (const config of ['tsconfig.json', 'tsconfig.bare.json'])
      run([`${folder}node_modules/.bin/tsc`, '-p', `${folder}${config}`], folder)
  })
}

rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
for (const name of publishedPackages) checkTarball(name)
const redis = await openRedis()
checkConsumer('esm', 'out/index.js', installedVersion('ioredis', 'packages/core/'), redis.url)
checkConsumer('cjs', 'out/index.cjs', installedVersion('ioredis5', 'packages/core/'), redis.url)
checkConsumer('without-ioredis', 'out/index.js', null, redis.url)
checkTypes()
checkCommand(redis.url)
checkSuite(redis.url)
await redis.stop()
if (failures > 0) process.exitCode = 1
