import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import {
  isFullMatrix,
  leftoverKeys,
  machineWithoutRedis,
  openRedis,
  startPostgres,
  until,
  type OpenedRedis,
} from '@holdfast/testkit'
import { startProgram, type Ending, type Program } from './program.js'

/** The numbers of a variant's line in the table: vouchers, requests, sold, oversold, users with several. */
function figuresOf(variant: string, { stdout }: Ending) {
  const line = new RegExp(`^${variant} +(\\d+) +(\\d+) +(\\d+) +(\\d+) +(\\d+) `, 'm').exec(stdout)
  if (!line) throw new Error(`no line for ${variant} in:\n${stdout}`)
  const [vouchers, requests, sold, oversold, usersWithSeveral] = line.slice(1).map(Number)
  return { vouchers, requests, sold, oversold, usersWithSeveral }
}

let redis: OpenedRedis
let program: Program | undefined
const ownServer = { REDIS_URL: '', DOCKER_HOST: 'unix:///nowhere' }

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

afterAll(() => redis.stop())

const start = (env: Readonly<Record<string, string>>) => (program = startProgram('flash-sale', env))

function expectExactSale(ending: Ending) {
  expect(ending).toMatchObject({ code: 0, stderr: '' })
  const { vouchers } = figuresOf('holdfast', ending)
  expect(vouchers).toBeGreaterThan(0)
  expect(figuresOf('holdfast', ending)).toMatchObject({ sold: vouchers, oversold: 0, usersWithSeveral: 0 })
  const naive = figuresOf('naive', ending)
  expect(naive.oversold).toBeGreaterThan(0)
  expect(naive.sold).toBe(Number(naive.vouchers) + Number(naive.oversold))
  expect(naive.requests).toBeGreaterThan(Number(naive.sold))
  expect(ending.stdout).toMatch(/all 600 requests want the same lock.*one after another, in \d+\.\d ms\neach/)
  expect(ending.stdout).toContain('locks of different names do not wait for each other')
}

it('sells exactly the stock, one per user, inside the lock, and oversells without it', async () => {
  const ending = await start({ REDIS_URL: redis.url }).ended
  expect(ending.stdout).toContain('Redis: REDIS_URL')
  expectExactSale(ending)
  expect(await leftoverKeys(redis.url, '{flash-sale-*')).toEqual([])
})

it('does the same on the embedded server if there is no other', async () => {
  const machine = await machineWithoutRedis()
  try {
    const ending = await start(machine.env).ended
    expect(ending.stdout).toContain('Redis: the embedded js-redis-server')
    expectExactSale(ending)
  } finally {
    await machine.remove()
  }
})

it('SIGTERM during the sale, sent twice, leaves no process and exits with 143', async () => {
  const sale = start(ownServer)
  await sale.prints(/^naive +\d/m)
  expect((await sale.processes()).length).toBeGreaterThanOrEqual(5)
  await sale.prints(/^holdfast +\d/m)
  sale.signal('SIGTERM')
  sale.signal('SIGTERM')
  expect(await sale.ended).toMatchObject({ code: 143, stderr: '\nStopping …\n' })
  await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
})

it('Ctrl-C before the shops have opened leaves no process', async () => {
  const sale = start(ownServer)
  await sale.prints(/^Redis: /m)
  sale.signal('SIGINT')
  expect(await sale.ended).toMatchObject({ code: 130 })
  await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
})

it('Ctrl-C leaves no key on a server that was there before', async () => {
  const sale = start({ REDIS_URL: redis.url })
  await sale.prints(/^holdfast +\d/m)
  expect(await leftoverKeys(redis.url, '{flash-sale-*')).not.toEqual([])
  sale.signal('SIGINT')
  expect(await sale.ended).toMatchObject({ code: 130 })
  expect(await leftoverKeys(redis.url, '{flash-sale-*')).toEqual([])
})

it('a shop that crashes ends the sale and is named', async () => {
  const sale = start({ REDIS_URL: redis.url })
  await sale.prints(/^naive +\d/m)
  const shop = (await sale.processes()).find(({ command }) => command.includes('shop.js'))
  if (!shop) throw new Error('no shop process')
  process.kill(shop.pid, 'SIGKILL')
  const { code, stderr } = await sale.ended
  expect(code).toBe(1)
  expect(stderr).toContain(`pid ${shop.pid}`)
  expect(stderr).toContain('SIGKILL')
  await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
  expect(await leftoverKeys(redis.url, '{flash-sale-*')).toEqual([])
})

it('an unreachable REDIS_URL is an error that names the cause', async () => {
  const { code, stderr } = await start({ REDIS_URL: 'redis://127.0.0.1:1' }).ended
  expect(code).toBe(1)
  expect(stderr).toContain('ECONNREFUSED')
})

describe('with --engine postgres', () => {
  const ownPostgres = { PG_URL: '', DOCKER_HOST: 'unix:///nowhere' }
  const startOnPostgres = (env: Readonly<Record<string, string>>) =>
    (program = startProgram('flash-sale', env, ['--engine', 'postgres']))
  const schemasOfSales = "select nspname from pg_namespace where nspname like 'flash%'"

  it('does the same in the database of PG_URL, and leaves nothing there', async () => {
    await using server = await startPostgres()
    const ending = await startOnPostgres({ PG_URL: server.url }).ended
    expect(ending.stdout).toContain('PostgreSQL: PG_URL')
    expectExactSale(ending)
    expect(await server.query(schemasOfSales)).toEqual([])
  })

  it('Ctrl-C leaves no process, and no schema on a server that was there before', async () => {
    await using server = await startPostgres()
    const sale = startOnPostgres({ PG_URL: server.url })
    await sale.prints(/^holdfast +\d/m)
    expect(await server.query(schemasOfSales)).toHaveLength(2)
    sale.signal('SIGINT')
    expect(await sale.ended).toMatchObject({ code: 130, stderr: '\nStopping …\n' })
    await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
    expect(await server.query(schemasOfSales)).toEqual([])
  })

  it('an unreachable PG_URL is an error that names the cause', async () => {
    const { code, stderr } = await startOnPostgres({ PG_URL: 'postgres://127.0.0.1:1/none' }).ended
    expect(code).toBe(1)
    expect(stderr).toContain('ECONNREFUSED')
  })

  if (isFullMatrix) {
    it('without a PostgreSQL that starts, does the same in one process on PGlite', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'broken-postgres-'))
      try {
        for (const program of ['postgres', 'initdb'])
          await writeFile(join(folder, program), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
        const ending = await startOnPostgres({
          ...ownPostgres,
          PATH: `${folder}${delimiter}${process.env['PATH']}`,
        }).ended
        expect(ending.stdout).toContain('PostgreSQL: the embedded PGlite, for one process only')
        expect(ending.stdout).toContain('4 shops, all in this process, serve')
        expectExactSale(ending)
      } finally {
        await rm(folder, { recursive: true })
      }
    })

    it('starts a server of its own where there is none, of which Ctrl-C leaves no process', async () => {
      const sale = startOnPostgres(ownPostgres)
      await sale.prints(/^PostgreSQL: \//m)
      await sale.prints(/^holdfast +\d/m)
      sale.signal('SIGINT')
      expect(await sale.ended).toMatchObject({ code: 130, stderr: '\nStopping …\n' })
      await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
    })
  }
})

// What they show of each store, its conformance tests show as well.
if (isFullMatrix)
  describe.each([
    ['zookeeper', /^ZooKeeper, with the locks: /m, { ZOOKEEPER_CONNECT: '' }],
    ['etcd', /^etcd, with the locks: /m, { ETCD_URL: '' }],
    ['memcached', /^memcached, with the locks: /m, { MEMCACHED_URL: '' }],
  ])('with --engine %s', (engine, origin, ownLocks) => {
    const startOn = (env: Readonly<Record<string, string>>) =>
      (program = startProgram('flash-sale', { ...ownServer, ...ownLocks, ...env }, ['--engine', engine]))

    it('sells exactly the stock, and leaves nothing at the server with the stock', async () => {
      const ending = await startOn({ REDIS_URL: redis.url }).ended
      expect(ending.stdout).toMatch(origin)
      expect(ending.stdout).toContain('4 shop processes serve')
      expectExactSale(ending)
      expect(await leftoverKeys(redis.url, '{flash-sale-*')).toEqual([])
    })

    it('Ctrl-C leaves no process of the servers that it started', async () => {
      const sale = startOn({})
      await sale.prints(/^holdfast +\d/m)
      sale.signal('SIGINT')
      expect(await sale.ended).toMatchObject({ code: 130, stderr: '\nStopping …\n' })
      await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
    })
  })

it('an unknown engine is refused', async () => {
  const { code, stderr } = await startProgram('flash-sale', {}, ['--engine', 'punch-cards']).ended
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: '--engine is redis, postgres, zookeeper, etcd, memcached, mysql, not punch-cards\n',
  })
})
