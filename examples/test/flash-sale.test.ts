import { leftoverKeys, machineWithoutRedis, openRedis, until, type OpenedRedis } from '@holdfast/testkit'
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
const ownServer = { REDIS_URL: '' }

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
  // All 64 requests that are served at a time have checked before the first of them writes.
  expect(naive.oversold).toBeGreaterThanOrEqual(14)
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
  await sale.prints(/^naive: /m)
  expect((await sale.processes()).length).toBeGreaterThanOrEqual(5)
  await sale.prints(/^holdfast: /m)
  sale.signal('SIGTERM')
  sale.signal('SIGTERM')
  expect(await sale.ended).toMatchObject({ code: 143, stderr: '\nStopping …\n' })
  await until(async () => (await sale.processes()).length === 0, { what: 'the group to be empty' })
})

it('a shop that crashes ends the sale and is named', async () => {
  const sale = start({ REDIS_URL: redis.url })
  await sale.prints(/^naive: /m)
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
