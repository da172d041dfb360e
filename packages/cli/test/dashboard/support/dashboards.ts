import { type Holdfast, type Lease } from '@holdfast/core'
import { startRedis, type RedisServer } from '@holdfast/testkit'
import { createDashboard, type Dashboard, type DashboardOptions } from '../../../src/dashboard/index.js'
import { Clients } from './clients.js'

export type Options = Omit<DashboardOptions, 'holdfast' | 'readOnly'>

/** Dashboards of a client that is new for each test, which ends it. */
export function useDashboards() {
  const clients = new Clients()
  let server: RedisServer | undefined
  let holdfast: Holdfast | undefined

  beforeAll(async () => {
    server = await startRedis()
  })

  beforeEach(() => {
    holdfast = clients.open(scene.redis.url, { label: 'tester' })
  })

  afterEach(async () => {
    await clients.closeAll()
  })

  afterAll(() => server?.stop())

  function begun<T>(value: T | undefined): T {
    if (value === undefined) throw new Error('there is one for tests, and not before them')
    return value
  }

  const scene = {
    clients,
    get redis(): RedisServer {
      return begun(server)
    },
    get holdfast(): Holdfast {
      return begun(holdfast)
    },
    open: (options: Options = {}): Dashboard => createDashboard({ holdfast: scene.holdfast, ...options }),
    openWritable: ({ authorize = () => 'ann', ...more }: Options = {}): Dashboard =>
      createDashboard({ holdfast: scene.holdfast, readOnly: false, authorize, ...more }),
  }
  return scene
}

export const get = (
  dashboard: Dashboard,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> => dashboard.fetch(new Request(`http://locks.example.org/ops/${path}`, { headers }))

export const sameOrigin = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

export const evict = (
  dashboard: Dashboard,
  body: unknown,
  headers: Record<string, string> = sameOrigin,
): Promise<Response> => {
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  return dashboard.fetch(new Request('http://locks.example.org/ops/evict', request))
}

export const evictionOf = (lease: Lease, more: object = {}) => {
  const { name, owner, kind } = lease
  return { name, owner, kind, typedName: name, ...more }
}
