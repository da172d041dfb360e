import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Holdfast, HoldfastOptions } from '@holdfast/core'
import { etcd } from '@holdfast/etcd'
import { memcached } from '@holdfast/memcached'
import { mysql } from '@holdfast/mysql'
import { postgres } from '@holdfast/postgres'
import { zookeeper } from '@holdfast/zookeeper'
import {
  openDatabase,
  openEtcd,
  openMemcached,
  openMysql,
  openZooKeeper,
  startCluster,
  startSentinels,
  uniqueName,
  until,
} from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { Cli, runCli, type CliOptions } from './support/cli.js'
import { openHolder } from './support/holder.js'

const node = process.execPath
const show = 'console.log(process.env.HOLDFAST_LOCK, process.env.HOLDFAST_FENCING_TOKEN)'

/** The page has the hold and the wait as their clients report them. */
async function expectOnDashboard(texts: readonly string[], options: CliOptions): Promise<void> {
  const dashboard = new Cli(['dashboard'], options)
  const [, origin = '', token = ''] = await dashboard.untilStdout(/(http:\S+)\/#token=([\w-]+)/)
  const headers = { authorization: `Bearer ${token}` }
  await until(async () => {
    const response = await fetch(`${origin}/list`, { headers })
    const listed = await response.text()
    return texts.every((text) => listed.includes(text))
  })
  dashboard.kill('SIGTERM')
  expect(await dashboard.ended()).toMatchObject({ code: 0 })
}

/** What works with every store: run, ls, dashboard, inspect, unlock, doctor. */
async function expectAllToWork(
  holdfast: Holdfast,
  options: CliOptions,
  { lists = true }: { readonly lists?: boolean } = {},
): Promise<Set<string>> {
  const cli = (...args: string[]) => runCli(args, options)
  const name = uniqueName('store')
  const ran = await cli('run', name, '--', node, '-e', show)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toMatch(new RegExp(`^${name} \\d+\n$`))

  const lease = await holdfast.getLock(name).lock()
  expect((await cli('run', '-w', '0', name, '--', 'true')).code).toBe(75)
  const waiting = new Cli(['run', name, '--', node, '-e', show], options)
  await until(async () => (await holdfast.getLock(name).inspect()).waiterCount === 1)
  const listed = await cli('ls', '--contended')
  if (lists) expect(listed.stdout).toContain(name)
  else expect(listed.stderr).toContain('the engine memcached can list neither')
  expect(listed.code).toBe(lists ? 0 : 64)
  if (lists) await expectOnDashboard([name, lease.owner], options)
  expect((await cli('inspect', name)).stdout).toContain(lease.owner)
  expect((await cli('unlock', name, '--owner', lease.owner, '--yes')).code).toBe(0)
  expect(await waiting.ended()).toMatchObject({ code: 0 })
  await until(() => !lease.isHeld)

  const { code, stdout } = await cli('doctor', '--json')
  const findings = stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { check: string; status: string }]))
  expect(findings.filter(({ status }) => status === 'failed')).toEqual([])
  expect(code).toBe(0)
  return new Set(findings.map(({ check }) => check))
}

const withoutRedis = { url: '' }

const on = (options: HoldfastOptions): Holdfast => openHolder({ label: 'other', ...options })

it('works with a Cluster', async () => {
  await using cluster = await startCluster({ masters: 3, nodeTimeoutMs: 2_000 })
  const nodes = cluster.startupNodes.map(({ host, port }) => ({ host, port }))
  const template = new Cluster(nodes, { lazyConnect: true })
  const list = nodes.map(({ host, port }) => `${host}:${port}`).join(',')
  const checks = await expectAllToWork(on({ redis: template }), { url: '', env: { HOLDFAST_CLUSTER: list } })
  expect(checks).toContain('cluster')
  expect(checks).toContain('failover')
})

it('works with Sentinels', async () => {
  await using group = await startSentinels()
  const sentinels = group.sentinels.map(({ host, port }) => ({ host, port }))
  const template = new Redis({ sentinels, name: group.name, lazyConnect: true })
  const list = sentinels.map(({ host, port }) => `${host}:${port}`).join(',')
  const env = { HOLDFAST_SENTINELS: list, HOLDFAST_SENTINEL: group.name }
  const checks = await expectAllToWork(on({ redis: template }), { url: '', env })
  expect(checks).toContain('sentinels')
  expect(checks).toContain('failover')
})

it('a Sentinel that hangs is passed over, by doctor as well', async () => {
  await using group = await startSentinels()
  const hanging = createServer().listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const { port = 0 } = Object(hanging.address()) as { port?: number }
  const nodes = [{ host: '127.0.0.1', port }, ...group.sentinels]
  const list = nodes.map((each) => `${each.host}:${each.port}`).join(',')
  const env = { HOLDFAST_SENTINELS: list, HOLDFAST_SENTINEL: group.name }
  const { code, stdout } = await runCli(['doctor', '--timeout', '10s'], { url: '', env })
  hanging.close()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^(ok|warning) +sentinels +\d+ know each other/m)
})

it('creates nothing in PostgreSQL to look at, and says that the schema is not there', async () => {
  const database = await openDatabase()
  try {
    const options = { url: '', env: { HOLDFAST_URL: database.url } }
    const refusal = /schema typo does not exist in this database, .*name the schema that the locks are in/
    const lookers = [['ls'], ['inspect', 'a'], ['unlock', 'a', '--yes']]
    for (const words of lookers) {
      const { code, stderr } = await runCli([...words, '--schema', 'typo'], options)
      expect([words, code, stderr]).toEqual([words, 77, expect.stringMatching(refusal)])
    }
    const { code, stdout } = await runCli(['doctor', '--schema', 'typo'], options)
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`^FAILED +lock +${refusal.source}.*\n$`))
    expect(await database.query(`select from pg_namespace where nspname = 'typo'`)).toEqual([])
  } finally {
    await database.stop()
  }
})

it('works with PostgreSQL', async () => {
  const database = await openDatabase()
  try {
    const holdfast = openHolder({ engine: postgres({ url: database.url }), label: 'other' })
    await expectAllToWork(holdfast, { ...withoutRedis, env: { HOLDFAST_URL: database.url } })
    await holdfast.close()
  } finally {
    await database.stop()
  }
})

it('works with logged tables of PostgreSQL, and names the kind that there is', async () => {
  const database = await openDatabase()
  try {
    const engine = postgres({ url: database.url, tables: 'logged' })
    const holdfast = openHolder({ engine, label: 'other' })
    const lease = await holdfast.getLock('order').lock()
    const run = (...words: string[]) => runCli(words, { url: '', env: { HOLDFAST_URL: database.url } })
    const unlogged = await run('unlock', 'order', '--owner', lease.owner)
    expect(unlogged).toMatchObject({ code: 77, stderr: expect.stringContaining('are logged') as unknown })
    expect(await run('doctor', '--tables', 'logged')).toMatchObject({ code: 0 })
    const evicted = await run('unlock', 'order', '--owner', lease.owner, '--yes', '--tables', 'logged')
    expect(evicted).toMatchObject({ code: 0 })
    // The server has no standby that it waits for.
    const alone = await run('ls', '--min-replicas', '1')
    expect(alone).toMatchObject({
      code: 77,
      stderr: expect.stringContaining('synchronous_standby_names') as unknown,
    })
    await holdfast.close()
  } finally {
    await database.stop()
  }
})

it('works with ZooKeeper', async () => {
  const server = await openZooKeeper()
  try {
    const holdfast = openHolder({ engine: zookeeper({ connect: server.url }), label: 'other' })
    await expectAllToWork(holdfast, { ...withoutRedis, env: { HOLDFAST_URL: `zk://${server.url}` } })
    await holdfast.close()
  } finally {
    await server.stop()
  }
})

it('works with etcd', async () => {
  const server = await openEtcd()
  try {
    const prefix = `${uniqueName('cli')}/`
    const holdfast = openHolder({ engine: etcd({ hosts: [server.url], prefix }), label: 'other' })
    const url = server.url.replace(/^http/, 'etcd')
    await expectAllToWork(holdfast, { ...withoutRedis, env: { HOLDFAST_URL: `${url}/${prefix}` } })
    await holdfast.close()
  } finally {
    await server.stop()
  }
})

it('works with memcached, except that it cannot list', async () => {
  const server = await openMemcached()
  try {
    const prefix = `${uniqueName('cli')}:`
    const engine = memcached({ url: server.url, prefix, graceMs: 3_000 })
    const holdfast = openHolder({ engine, label: 'other' })
    const options = { ...withoutRedis, env: { HOLDFAST_URL: `${server.url}/${prefix}` } }
    // Its data is new: the first one waits.
    await holdfast.getLock('first').withLock(() => undefined)
    await expectAllToWork(holdfast, options, { lists: false })
    const { code, stderr } = await runCli(['dashboard'], options)
    expect(code).toBe(64)
    expect(stderr).toMatch(/memcached at .* can list neither/)
    await holdfast.close()
  } finally {
    await server.stop()
  }
})

it('works with MySQL', async () => {
  const server = await openMysql()
  try {
    const holdfast = openHolder({ engine: mysql({ url: server.url }), label: 'other' })
    await expectAllToWork(holdfast, { ...withoutRedis, env: { HOLDFAST_URL: server.url } })
    await holdfast.close()
  } finally {
    await server.stop()
  }
})
