// Usage: node scripts/rehearse-release.mjs
// Rehearses a release with the tarballs that check-packages.mjs has packed: publishes them to a registry on this machine as the workflow does,
// and installs them by name into empty projects. They are type-checked, and run the first program of the README, the one of each store that
// is found here, and those of test/consumers; one of these on Bun and Deno too, and with HOLDFAST_MATRIX=full on each supported version of
// Node.js. Then services are upgraded to the next version while they hold and wait for locks.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  isFullMatrix,
  NoServerError,
  openDatabase,
  openEtcd,
  openMemcached,
  openMysql,
  openRedis,
  openZooKeeper,
} from '@holdfast/testkit'
import {
  emptyProject,
  installConsumer,
  installedVersion,
  run,
  step,
  tarballs,
  version,
} from './lib/consumer.mjs'
import { startRegistry } from './lib/registry.mjs'
import { installRuntime } from './lib/runtimes.mjs'
import { ServiceProcess } from './lib/service-process.mjs'
import { publishedPackages, root } from './lib/workspace.mjs'

const page = (name) => readFileSync(`${root}${name}`, 'utf8')

/** Publishes by the script of the workflow. A second run finds all of it there. */
function publish(folder, registry) {
  const env = { npm_config_userconfig: registry.publisher }
  const [first, second] = [1, 2].map(() => run([process.execPath, 'scripts/publish.mjs', folder], root, env))
  if (/^was there/m.test(first) || /^published/m.test(second)) throw new Error(`${first}${second}`)
  console.log(first.trim())
}

/** Repacks what was packed as the next version. */
function packNext(next) {
  const folder = `${root}.cache/tarballs-of-next/`
  rmSync(folder, { recursive: true, force: true })
  for (const name of publishedPackages) {
    const own = `${folder}${name}/`
    mkdirSync(own, { recursive: true })
    run(['tar', '-xzf', `${tarballs}${name}.tgz`, '-C', own])
    const manifest = `${own}package/package.json`
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: next }))
    run(['tar', '-czf', `${folder}${name}.tgz`, '-C', own, 'package'])
  }
  return folder
}

const [, firstProgram] = /^```ts\n(.*?)^```$/ms.exec(page('README.md'))
const [firstInstall] = /^npm install @holdfast\/core .*$/m.exec(page('README.md'))
const printed = [...firstProgram.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line]) => `${line}\n`).join('')

function expectPrinted(output, what) {
  if (output !== printed) throw new Error(`${what} printed ${JSON.stringify(output)}`)
}

/** CommonJS has neither `import` nor `await` at the top. */
function asCommonJs(program) {
  const imports = /^import (.*) from ('.*')$/gm
  return `${[...program.matchAll(imports)].map(([, names, from]) => `const ${names} = require(${from})\n`).join('')}
void (async () => {${program.replace(imports, '')}})()\n`
}

/** What the README says, by the letter, with npm. */
async function checkFirstProgram({ registry, redisUrl }) {
  const program = firstProgram.replace('redis://localhost:6379', redisUrl)
  for (const type of ['module', 'commonjs'])
    await step(`the first program of the README, ${type}`, () => {
      const folder = emptyProject(`first-${type}`, registry)
      writeFileSync(`${folder}package.json`, JSON.stringify({ private: true, type }))
      run([...firstInstall.split(' '), '--no-audit', '--no-fund', '--prefer-offline'], folder)
      writeFileSync(`${folder}first.js`, type === 'module' ? program : asCommonJs(program))
      expectPrinted(run([process.execPath, 'first.js'], folder), type)
    })
  await step('the first program of the README, TypeScript', () => {
    const devDependencies = compiler()
    const dependencies = { ioredis: installedVersion('ioredis', 'packages/core/') }
    const folder = installConsumer('first-typescript', {
      registry,
      ours: ['core'],
      dependencies,
      devDependencies,
    })
    writeFileSync(`${folder}first.ts`, program)
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: ['node'] }
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, files: ['first.ts'] }))
    run([`${folder}node_modules/.bin/tsc`], folder)
    expectPrinted(run([process.execPath, 'first.js'], folder), 'TypeScript')
  })
}

/** The stores of the quickstart: how a client is created there, and where the server is that it names. */
const openers = {
  postgres: openDatabase,
  mysql: openMysql,
  zookeeper: openZooKeeper,
  etcd: openEtcd,
  memcached: openMemcached,
}

/** The engine that the quickstart has for a store. */
function engineOf(store) {
  const [, code] = new RegExp(`\\| \`engine: (${store}\\(.*?\\))\``).exec(page('docs/start/quickstart.md'))
  return code
}

/** The URL of each store that is found here; `stop` ends the servers. */
async function openStores() {
  const opened = new Map()
  for (const [store, open] of Object.entries(openers)) {
    try {
      opened.set(store, await open())
    } catch (error) {
      if (!(error instanceof NoServerError)) throw error
      console.log(`left out  ${store}: no server here`)
    }
  }
  return opened
}

const clientOf = (store, url, options = '') => {
  const engine = engineOf(store).replace(/'[^']*'/, `'${url}'`)
  return `import { Holdfast } from '@holdfast/core'
import { ${store} } from '@holdfast/stores/${store}'

const holdfast = new Holdfast({ engine: ${engine}${options} })
`
}

/** By npm, which installs what the packages ask for: drivers too are said by the docs. */
function npmProject(name, registry, words) {
  const folder = emptyProject(name, registry)
  writeFileSync(`${folder}package.json`, JSON.stringify({ private: true, type: 'module' }))
  run(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...words], folder)
  return folder
}

async function checkStores({ registry, stores }) {
  let folder
  await step('install the stores, with npm', () => {
    folder = npmProject('stores', registry, ['@holdfast/core', '@holdfast/stores', 'pg', 'mysql2'])
  })
  const [, body] = /^const holdfast = .*?\n(.*)$/ms.exec(firstProgram)
  for (const [store, { url }] of stores)
    await step(`the first program on ${store}`, () => {
      writeFileSync(`${folder}${store}.mjs`, clientOf(store, url) + body)
      expectPrinted(run([process.execPath, `${store}.mjs`], folder), store)
    })
}

/**
 * Processes of the old version hold and await a lock while the new one is installed in their folder. Those of the new one find it held, queue
 * behind, and get it in turn.
 */
async function checkUpgrade({ registry, stores, redisUrl, publisher }) {
  const next = version.replace(/\d+$/, (patch) => Number(patch) + 1)
  const words = [`@holdfast/core@${version}`, `@holdfast/stores@${version}`, 'ioredis', 'pg', 'mysql2']
  const folder = npmProject('upgrade', registry, words)
  cpSync(`${root}test/consumers/upgrade`, folder, { recursive: true })
  const clients = new Map([
    ['redis', firstProgram.replace('redis://localhost:6379', redisUrl).split(/(?<=^const holdfast.*\n)/m)[0]],
  ])
  for (const [store, { url }] of stores) clients.set(store, clientOf(store, url))
  const services = new Map()
  const start = (store) => {
    const own = `${folder}${store}/`
    mkdirSync(own, { recursive: true })
    cpSync(`${folder}service.mjs`, `${own}service.mjs`)
    writeFileSync(`${own}client.mjs`, `${clients.get(store)}\nexport { holdfast }\n`)
    return new ServiceProcess(`${own}service.mjs`)
  }
  for (const store of clients.keys())
    await step(`hold and wait on ${store}, ${version}`, async () => {
      const [holder, waiter] = [start(store), start(store)]
      const { token } = await holder.does('lock')
      waiter.says('lock')
      await holder.until('waiters', ({ count }) => count === 1)
      services.set(store, { holder, waiter, token })
    })
  await step(`publish and install ${next}`, () => {
    publish(packNext(next), { publisher })
    const later = ['@holdfast/core', '@holdfast/stores'].map((name) => `${name}@${next}`)
    run(['npm', 'install', '--no-audit', '--no-fund', '--prefer-online', ...later], folder)
  })
  for (const [store, { holder, waiter, token }] of services)
    await step(`upgrade on ${store}, from ${version} to ${next}`, async () => {
      const upgraded = start(store)
      const tried = await upgraded.does('tryLock')
      upgraded.says('lock')
      await holder.until('waiters', ({ count }) => count === 2)
      const { isHeld } = await holder.does('isHeld')
      await holder.does('unlock')
      const second = await waiter.next('lock')
      await waiter.does('unlock')
      const third = await upgraded.next('lock')
      await upgraded.does('unlock')
      for (const service of [holder, waiter, upgraded]) await service.end()
      const tokens = [token, second.token, third.token]
      const versions = [second.version, third.version].join()
      const isInOrder = token === 0 || (tokens[0] < tokens[1] && tokens[1] < tokens[2])
      console.log({ store, isFree: tried.isFree, isHeld, versions, tokens })
      if (tried.isFree || !isHeld || versions !== `${version},${next}` || !isInOrder)
        throw new Error('the upgrade broke a promise')
    })
}

/** The command, installed on its own, brings nothing along, and runs another one under a lock. */
async function checkCommand({ registry, redisUrl }) {
  await step('the command, installed on its own', () => {
    const folder = installConsumer('cli', { registry, ours: ['cli'] })
    const installed = readdirSync(`${folder}node_modules/.pnpm`).filter((entry) => entry.includes('@'))
    if (installed.length !== 1) throw new Error(`installs ${installed.join(', ')}`)
    const holdfast = `${folder}node_modules/.bin/holdfast`
    const show = [process.execPath, '-p', '`runs under ${process.env.HOLDFAST_LOCK}`']
    const env = { HOLDFAST_REDIS_URL: redisUrl }
    console.log(run([holdfast, 'run', `consumer-${process.pid}`, '--', ...show], folder, env).trim())
    // The suite that it tries is part of it, with the processes that it kills and freezes.
    console.log(run([holdfast, 'verify', '--only', 'always: exclusion'], folder, env).trim())
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
async function checkConsumer(kind, entry, ioredis, { registry, redisUrl }) {
  await step(`consumer ${kind}, ioredis ${ioredis ?? 'not installed'}`, () => {
    const folder = installConsumer(kind, {
      source: kind,
      registry,
      type: kind === 'cjs' ? 'commonjs' : 'module',
      dependencies: ioredis ? { ioredis } : {},
      devDependencies: compiler(),
    })
    run([`${folder}node_modules/.bin/tsc`, '-p', folder], folder)
    console.log(run([process.execPath, entry], folder, { REDIS_URL: redisUrl }).trim())
  })
}

/** What a program needs of its runtime, on others than the one that runs this. */
async function checkRuntimes({ registry, redisUrl }) {
  let folder = ''
  await step('consumer for each runtime', () => {
    const ioredis = installedVersion('ioredis', 'packages/core/')
    const redis = installedVersion('redis', 'packages/core/')
    folder = installConsumer('runtime', { source: 'runtime', registry, dependencies: { ioredis, redis } })
  })
  const runtimes = ['bun', 'deno', ...(isFullMatrix ? ['node22', 'node24', 'node26'] : [])]
  for (const name of runtimes) {
    let command
    await step(`install ${name}`, () => (command = installRuntime(name)))
    if (command)
      await step(`packed packages on ${name}`, () => {
        console.log(run([...command, 'index.mjs'], folder, { REDIS_URL: redisUrl }).trim())
      })
  }
}

/** A program that compiles declarations too, and has those of no platform; OpenTelemetry's own need a `console`. */
async function checkTypes({ registry }) {
  await step('types without those of Node.js', () => {
    const folder = installConsumer('without-node-types', {
      source: 'without-node-types',
      registry,
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

const registry = await startRegistry()
const redis = await openRedis()
const stores = await openStores()
const here = { registry: registry.url, publisher: registry.publisher, redisUrl: redis.url, stores }
try {
  await step(`publish ${version}`, () => publish(tarballs, registry))
  await checkFirstProgram(here)
  await checkStores(here)
  await checkConsumer('esm', 'out/index.js', installedVersion('ioredis', 'packages/core/'), here)
  await checkConsumer('cjs', 'out/index.cjs', installedVersion('ioredis5', 'packages/core/'), here)
  await checkConsumer('without-ioredis', 'out/index.js', null, here)
  await checkTypes(here)
  await checkCommand(here)
  await checkRuntimes(here)
  await checkUpgrade(here)
} finally {
  for (const server of [registry, redis, ...stores.values()]) await server.stop()
}
