import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { serve } from '@hono/node-server'
import { Holdfast } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import { countCommands, uniqueName, until } from '@holdfast/testkit'
import express from 'express'
import { Hono } from 'hono'
import { assets } from '../../src/dashboard/assets/generated.js'
import {
  createDashboard,
  serveDashboard,
  type Dashboard,
  type DashboardAction,
  type DashboardOptions,
  type DashboardRequest,
} from '../../src/dashboard/index.js'
import type { Listing, Named } from '../../src/dashboard/shared/payloads.js'
import { mountLocks as mountOnExpress } from './mounts/express.js'
import { mountLocks as mountOnHono } from './mounts/hono.js'
import { get, sameOrigin, useDashboards } from './support/dashboards.js'
import { listen } from './support/listening.js'

const scene = useDashboards()
const { clients, open } = scene

const listOf = async (dashboard: Dashboard): Promise<Listing> =>
  (await (await get(dashboard, 'list')).json()) as Listing
const namedOf = async (dashboard: Dashboard, name: string): Promise<Named> =>
  (await (await get(dashboard, `named?name=${encodeURIComponent(name)}`)).json()) as Named

describe('what is served', () => {
  it('weighs at most 20 kB, zipped', () => {
    const bytes = Object.values(assets).reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0)
    expect(bytes).toBeLessThanOrEqual(20_000)
  })

  it('names no address but its own, and has no script or style inside the page', () => {
    const index = assets['index.html'] ?? ''
    expect(index).not.toMatch(/<script(?![^>]* src="\.\/)|<style|style=|https?:/)
    expect(Object.keys(assets)).toHaveLength(4)
  })

  it('loads nothing from elsewhere, runs nothing else, is in no frame, and is not guessed at', async () => {
    for (const path of ['', 'list', 'nothing.js']) {
      const { headers } = await get(open(), path)
      const policy = headers.get('content-security-policy')
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('is zipped for those who take it so, and kept by browsers under names that change with the content', async () => {
    const [file = ''] = Object.keys(assets).filter((name) => name.endsWith('.js'))
    const dashboard = open()
    const zipped = await get(dashboard, file, { 'accept-encoding': 'br, gzip' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(zipped.headers.get('cache-control')).toContain('immutable')
    const plain = await get(dashboard, file)
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(assets[file])
  })

  it.each(['gzip;q=0', 'identity, gzip; q=0.000', 'br'])('is not zipped for %s', async (accepted) => {
    const response = await get(open(), '', { 'accept-encoding': accepted })
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'has no file %s, which is a path without a slash',
    async (name) => {
      const response = await get(open(), name, { 'accept-encoding': 'gzip' })
      expect([response.status, response.headers.get('location')]).toEqual([308, `./${name}/`])
    },
  )

  it.each([
    ['nothing.js', 404],
    ['named', 400],
    [`named?name=${'long'.repeat(300)}`, 400],
  ])('%s gets status %i', async (path, status) => {
    expect((await get(open(), path)).status).toBe(status)
  })

  it('a redirect stays on this host, whatever the address', async () => {
    const response = await open().fetch(new Request('http://locks.example.org//evil'))
    expect(response.headers.get('location')).toBe('./evil/')
  })
})

describe('what it sends to the store', () => {
  it('is nothing unless a page asks, and the same for one page and for ten', async () => {
    const { holdfast, redis } = scene
    await holdfast.getLock(uniqueName('warm-up')).withLock(() => undefined)
    const dashboard = open()
    const { counts } = await countCommands(redis.url, () => get(dashboard, ''))
    expect([...counts.keys()].filter((name) => name.startsWith('eval') || name === 'pubsub')).toEqual([])
    const asked = jest.spyOn(holdfast, 'clientReports')
    await Promise.all(Array.from({ length: 10 }, () => listOf(dashboard)))
    await listOf(dashboard)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('is at most 20 look-ups at once; a further one is rejected with advice to try again', async () => {
    const reading = jest
      .spyOn(scene.holdfast.getLock('x'), 'inspect')
      .mockReturnValue(new Promise(() => undefined))
    const dashboard = open()
    jest.spyOn(scene.holdfast, 'getLock').mockReturnValue({ inspect: reading } as never)
    for (let i = 0; i < 20; i += 1) void get(dashboard, 'named?name=x')
    await until(() => reading.mock.calls.length === 20)
    const refused = await get(dashboard, 'named?name=x')
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.stringContaining('Try again') as string },
    ])
  })

  it.each(['list', 'named?name=a'])(
    "is nothing for another site's page in a signed-in browser: %s",
    async (path) => {
      const polls = jest.spyOn(scene.holdfast, 'clients')
      for (const site of ['cross-site', 'same-site']) {
        expect((await get(open(), path, { 'sec-fetch-site': site })).status).toBe(403)
      }
      expect(polls).not.toHaveBeenCalled()
      expect((await get(open(), path, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    },
  )
})

describe('what it shows', () => {
  it('a contended lock first, with its holder, and under its name the queue', async () => {
    const [name, quiet] = [uniqueName('contended'), uniqueName('quiet')]
    const rival = clients.open(scene.redis.url, { label: 'rival' })
    const dashboard = open()
    await using _other = await scene.holdfast.getLock(quiet).lock()
    const lease = await scene.holdfast.getLock(name).lock()
    const waiting = rival.getLock(name).lock()
    const listing = await until(async () => {
      const each = await listOf(dashboard)
      return each.rows[0]?.waiterCount === 1 && each.rows[0].holder !== null && each
    })
    expect(listing.rows).toMatchObject([
      {
        ...{ name, object: 'lock', waiterCount: 1, holderCount: 1 },
        holder: { owner: lease.owner, unattended: null, process: { label: 'tester', pid: process.pid } },
      },
      { name: quiet, waiterCount: 0 },
    ])
    expect(await namedOf(dashboard, name)).toMatchObject({
      name,
      isReadOnly: true,
      objects: [
        { object: 'lock', holders: [{ owner: lease.owner }], waiters: [{ process: { label: 'rival' } }] },
      ],
    })
    await lease.unlock()
    await (await waiting).unlock()
  })

  it('everything that is in use under a name, and else the free lock', async () => {
    const { holdfast } = scene
    const name = uniqueName('family')
    await using _read = await holdfast.getReadWriteLock(name).read.lock()
    await using _permits = await holdfast.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 })
    await holdfast.getCountDownLatch(name).trySetCount(2)
    expect((await namedOf(open(), name)).objects).toMatchObject([
      { object: 'read-write-lock', holders: [{ kind: 'read-lock' }] },
      { object: 'semaphore', holders: [{ permits: 2 }] },
      { object: 'latch', holderCount: 0, parties: { all: 2, left: 2 } },
    ])
    expect((await namedOf(open(), uniqueName('free'))).objects).toMatchObject([
      { object: 'lock', holderCount: 0, waiterCount: 0 },
    ])
  })

  it('who has handed over a lock, or released one that is kept, and the owner without the ticket', async () => {
    const { holdfast } = scene
    const [handed, kept] = [uniqueName('handed'), uniqueName('kept')]
    const ticket = await (await holdfast.getLock(handed).lock()).handOver({ withinMs: 60_000 })
    await (await holdfast.getLock(kept).lock({ atLeastMs: 60_000 })).unlock()
    const holder = { label: 'tester', pid: process.pid }
    const shown = await Promise.all([handed, kept].map((name) => namedOf(open(), name)))
    expect(shown).toMatchObject([
      { objects: [{ holders: [{ unattended: 'handed-over', process: holder }] }] },
      { objects: [{ holders: [{ unattended: 'kept', process: holder }] }] },
    ])
    for (const part of ticket.split('.').slice(3)) expect(JSON.stringify(shown)).not.toContain(part)
    await Promise.all([handed, kept].map((name) => holdfast.getLock(name).forceUnlock()))
  })

  it('that a client did not report, whose holds are missing', async () => {
    const frozen = clients.open(scene.redis.url, { label: 'frozen' })
    const name = uniqueName('frozen')
    const lease = await frozen.getLock(name).lock()
    const real = scene.holdfast.clientReports.bind(scene.holdfast)
    jest
      .spyOn(scene.holdfast, 'clientReports')
      .mockImplementation(async (options) =>
        (await real(options)).filter(({ clientId }) => clientId !== frozen.clientId),
      )
    const dashboard = open()
    const { rows, silent } = await listOf(dashboard)
    expect([rows.filter((row) => row.name === name), silent]).toEqual([[], 1])
    // The store knows it.
    expect((await namedOf(dashboard, name)).objects).toMatchObject([{ holders: [{ owner: lease.owner }] }])
  })

  it('that the store cannot be reached, as an error with its words', async () => {
    jest.spyOn(scene.holdfast, 'clients').mockRejectedValue(new Error('Redis is unavailable'))
    const response = await get(open(), 'list')
    expect([response.status, await response.json()]).toEqual([502, { error: 'Redis is unavailable' }])
  })
})

it.each(['Express, behind its body parser', 'Hono'])(
  'is mounted on %s, and evicts there',
  async (framework) => {
    const dashboard = scene.openWritable({ audit: () => undefined })
    const app = express().use(express.json())
    mountOnExpress(app, dashboard)
    const hono = new Hono()
    mountOnHono(hono, dashboard)
    const server = await listen(
      framework === 'Hono'
        ? (serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as ReturnType<typeof createServer>)
        : createServer(app),
    )
    const lease = await scene.holdfast.getLock(uniqueName('mounted')).lock()
    const { name, owner, kind } = lease
    // Without the slash it leads to the page.
    expect(await (await fetch(`${server.origin}/ops/locks/`)).text()).toContain('<div id="app">')
    const response = await fetch(`${server.origin}/ops/locks/evict`, {
      method: 'POST',
      headers: sameOrigin,
      body: JSON.stringify({ name, owner, kind, typedName: name }),
    })
    expect(await response.json()).toEqual({ outcome: 'evicted' })
    expect(lease.isHeld).toBe(false)
    await server.close()
  },
)

it('authorize decides about pages, too, and sees the request of the framework', async () => {
  const dashboard = open({
    authorize: (request: DashboardRequest, { type }: DashboardAction) =>
      type === 'view' && request.raw instanceof Request && request.headers.get('x-user') === 'ann',
  })
  expect((await get(dashboard, '')).status).toBe(403)
  expect((await get(dashboard, 'list')).status).toBe(403)
  expect((await get(dashboard, '', { 'x-user': 'ann' })).status).toBe(200)
})

it.each([
  [{ every: 1 }, /unknown option 'every'/],
  [{ allowedHosts: ['http://ops.example.com'] }, /without scheme, port or path.*got "http:/],
  [{ allowedHosts: ['ops.example.com:80'] }, /without scheme, port or path/],
  [{ allowedHosts: [''] }, /without scheme, port or path/],
  [{ allowedHosts: 'ops.example.com' }, /allowedHosts must be an array/],
  [{ allowedHosts: [5] }, /without scheme, port or path.*got 5/],
  [{ readOnly: 'no', authorize: () => true }, /readOnly must be true or false, got 'no'/],
  [{ readOnly: null }, /readOnly must be true or false, got null/],
  [{ authorize: 'admin' }, /authorize must be a function, got 'admin'/],
  [{ audit: 5 }, /audit must be a function, got 5/],
  [{ holdfast: {} }, /must be a Holdfast client, got an object; pass holdfast: new Holdfast/],
  [{ holdfast: undefined }, /must be a Holdfast client, got undefined;/],
])('options that make no sense are refused: %j', (options, message) =>
  expect(() => createDashboard({ holdfast: scene.holdfast, ...options } as DashboardOptions)).toThrow(
    message,
  ),
)

it('an engine that cannot list locks has no dashboard', async () => {
  await using shared = new Holdfast({ engine: redisson({ redis: scene.redis.url }) })
  expect(() => createDashboard({ holdfast: shared })).toThrow(
    /a client that can list locks and clients.*`operator`$/,
  )
})

it('what is not options is refused, with how to pass a client', async () => {
  const make = (given?: unknown): unknown => Reflect.apply(createDashboard, undefined, [given])
  expect(() => make()).toThrow('options must be an object, got undefined; pass createDashboard({ holdfast })')
  expect(() => make(scene.holdfast)).toThrow('got a Holdfast client; pass createDashboard({ holdfast })')
  await expect(Reflect.apply(serveDashboard, undefined, [scene.holdfast])).rejects.toThrow(
    'got a Holdfast client; pass serveDashboard({ holdfast })',
  )
})
