import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import { createDashboard, type Dashboard } from '../src/index.js'
import type { Findings } from '../src/shared/payloads.js'
import { Clients } from './support/clients.js'

const clients = new Clients()
let redis: RedisServer
let dashboard: Dashboard

beforeAll(async () => {
  redis = await startRedis()
  const fill = "for i = 1, 50000 do redis.call('SET', ARGV[1] .. ':' .. i, '') end"
  for (let part = 0; part <= 20; part += 1) await redis.call('EVAL', fill, '0', `other-${part}`)
})

beforeEach(() => {
  dashboard = createDashboard({ holdfast: clients.open(redis.url) })
})

afterEach(async () => {
  dashboard.close()
  await clients.closeAll()
})

afterAll(() => redis.stop())

const find = (pattern: string, signal?: AbortSignal): Promise<Response> =>
  dashboard.fetch(
    new Request(`http://locks.example.org/find?pattern=${pattern}`, { ...(signal && { signal }) }),
  )

it('a store of more than a million keys is searched', async () => {
  const response = await find(uniqueName('missing'))
  expect(response.status).toBe(200)
  const { scanned, total } = (await response.json()) as Findings
  expect(scanned).toBeGreaterThan(0)
  expect(total).toBeGreaterThan(1_000_000)
})

it('few searches run at a time, and one whose user has left makes room', async () => {
  const left = new AbortController()
  const searches = Array.from({ length: 3 }, () => find('missing', left.signal))
  expect((await find('missing')).status).toBe(429)
  left.abort()
  await Promise.all(searches)
  const next = new AbortController()
  const search = find('missing', next.signal)
  next.abort()
  expect((await search).status).not.toBe(429)
})
