import { gzipSync } from 'node:zlib'
import { createServer } from 'node:http'
import { uniqueName, until, countCommands } from '@holdfast/testkit'
import { Holdfast } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import {
  createDashboard,
  type Dashboard,
  type DashboardAction,
  type DashboardOptions,
  type DashboardRequest,
  serveDashboard,
} from '../src/index.js'
import { assets } from '../src/assets/generated.js'
import type { Findings, Update } from '../src/shared/payloads.js'
import { listen } from './support/listening.js'
import { updatesOf, updateWith } from './support/updates.js'

import { get, useDashboards } from './support/dashboards.js'

const scene = useDashboards()
const { clients, open } = scene

const snapshotOf = async (dashboard: Dashboard, query: string): Promise<Update> =>
  (await (await get(dashboard, `snapshot?${query}`)).json()) as Update

describe('what is served', () => {
  it('weighs at most 45 kB, zipped', () => {
    const bytes = Object.values(assets).reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0)
    expect(bytes).toBeLessThanOrEqual(45_000)
  })

  it('names no address but its own, and has no script or style inside the page', () => {
    const index = assets['index.html'] ?? ''
    expect(index).not.toMatch(/<script(?![^>]* src="\.\/)|<style|style=|https?:/)
    expect(Object.keys(assets)).toHaveLength(4)
  })

  it('loads nothing from elsewhere, runs nothing else, is in no frame, and is not guessed at', async () => {
    for (const path of ['', 'snapshot?page=overview', 'nothing.js']) {
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
    ['events', 400],
    ['snapshot?page=nowhere', 400],
  ])('%s gets status %i', async (path, status) => {
    expect((await get(open(), path)).status).toBe(status)
  })

  it.each(['lock', 'read-write-lock', 'semaphore', 'latch'])(
    'a name that no %s can have is a fault of the request, and not of the store',
    async (object) => {
      const query = `page=lock&object=${object}&name=${'long'.repeat(300)}`
      for (const path of ['events', 'snapshot']) {
        const response = await get(open(), `${path}?${query}`)
        expect(response.status).toBe(400)
        expect(await response.json()).toEqual({
          error: expect.stringContaining('at most 1024 bytes') as string,
        })
      }
    },
  )

  it('a redirect stays on this host, whatever the address', async () => {
    const response = await open().fetch(new Request('http://locks.example.org//evil'))
    expect(response.headers.get('location')).toBe('./evil/')
  })
})

describe('what it sends to the store', () => {
  it('is nothing unless a page is open, and ends with the last page', async () => {
    await scene.holdfast.getLock(uniqueName('warm-up')).withLock(() => undefined)
    const dashboard = open()
    const seen = async (during: () => Promise<unknown>): Promise<number> => {
      const { counts } = await countCommands(scene.redis.url, during)
      return [...counts]
        .filter(([name]) => name.startsWith('eval') || name === 'pubsub')
        .reduce((sum, [, n]) => sum + n, 0)
    }
    expect(await seen(() => get(dashboard, ''))).toBe(0)
    const reader = new AbortController()
    const stream = await dashboard.fetch(
      new Request('http://locks.example.org/events?page=overview', { signal: reader.signal }),
    )
    const updates = updatesOf(stream)
    const whileOpen = await seen(async () => {
      await updateWith(updates, ({ samples }) => samples.length > 0)
      await updateWith(updates, ({ samples }) => samples.length > 0)
    })
    expect(whileOpen).toBeGreaterThan(0)
    reader.abort()
    // A last poll may still be on its way; after it there is silence.
    const oneQuestion = () => seen(() => scene.holdfast.getLock('other').isLocked())
    await until(async () => (await oneQuestion()) <= 1)
    const afterwards = await seen(async () => {
      const end = performance.now() + 1_000
      await until(() => performance.now() > end)
    })
    expect(afterwards).toBe(0)
  })

  it('is the same for one page and for ten', async () => {
    const calls = jest.spyOn(scene.holdfast, 'clientReports')
    const dashboard = open()
    const openedAt = performance.now()
    const pages = await Promise.all(
      Array.from({ length: 10 }, async () => updatesOf(await get(dashboard, 'events?page=overview'))),
    )
    for (const page of pages) {
      await updateWith(page, () => true)
      await updateWith(page, () => true)
    }
    expect(calls.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - openedAt) / 250)
    await Promise.all(pages.map((page) => page.return()))
  })
})

it('many locks that are watched are polled less often each', async () => {
  const dashboard = open()
  const everyMs = async (i: number): Promise<number> => {
    return (await snapshotOf(dashboard, `page=lock&object=lock&name=watched-${i}`)).everyMs
  }
  expect(await everyMs(0)).toBe(250)
  await Promise.all(Array.from({ length: 50 }, (_, i) => everyMs(i)))
  expect(await everyMs(0)).toBe(1_000)
})

describe('what it shows', () => {
  it.each([
    ['the charts', 'page=overview', (update: Update) => update.samples.length],
    [
      'the history of a lock',
      'page=lock&object=lock&name=reloaded',
      ({ content }: Update) => (content?.page === 'lock' ? content.queueLengths.length : 0),
    ],
  ])('%s goes on when the page is loaded again', async (_, query, lengthOf) => {
    const dashboard = open()
    const first = updatesOf(await get(dashboard, `events?${query}`))
    for (let i = 0; i < 4; i += 1) await updateWith(first, () => true)
    await first.return()
    const again = updatesOf(await get(dashboard, `events?${query}`))
    expect(lengthOf(await updateWith(again, ({ content }) => content !== null))).toBeGreaterThanOrEqual(4)
    await again.return()
  })

  it('points of a chart once per page, however long it is open', async () => {
    const dashboard = open()
    const path = `page=lock&object=lock&name=${uniqueName('growing')}`
    const page = updatesOf(await get(dashboard, `events?${path}`))
    const lengths: number[] = []
    for (let i = 0; i < 4; i += 1) {
      const { content } = await updateWith(page, (update) => update.content !== null)
      if (content?.page === 'lock') lengths.push(content.queueLengths.length)
    }
    expect(lengths).toEqual([1, 1, 1, 1])
    const again = await snapshotOf(dashboard, path)
    expect(again.content?.page === 'lock' && again.content.queueLengths.length).toBeGreaterThanOrEqual(4)
    await page.return()
  })

  it('the queue of a contended lock, its holder and since when', async () => {
    const name = uniqueName('contended')
    const rival = clients.open(scene.redis.url, { label: 'rival' })
    const lease = await scene.holdfast.getLock(name).lock()
    const waiting = rival.getLock(name).lock()
    const dashboard = open()
    const row = await until(
      async () => {
        const { content } = await snapshotOf(dashboard, 'page=locks')
        return content?.page === 'locks' && content.contended.find((each) => each.name === name)
      },
      { timeoutMs: 15_000 },
    )
    expect(row).toMatchObject({
      waiterCount: 1,
      holder: { owner: lease.owner, process: { label: 'tester', pid: process.pid } },
    })
    expect(row.heldMs).toBeGreaterThan(0)
    const { content } = await snapshotOf(dashboard, `page=lock&object=lock&name=${encodeURIComponent(name)}`)
    expect(content).toMatchObject({
      page: 'lock',
      holders: [{ owner: lease.owner }],
      waiters: [{ process: { label: 'rival' } }],
      history: [{ owner: lease.owner, isOver: false }],
    })
    await lease.unlock()
    await (await waiting).unlock()
  })

  it('what one client holds, and which clients match a filter', async () => {
    const name = uniqueName('held')
    const lease = await scene.holdfast.getLock(name).lock()
    const dashboard = open()
    const { content: clientPage } = await snapshotOf(
      dashboard,
      `page=client&clientId=${scene.holdfast.clientId}`,
    )
    expect(clientPage).toMatchObject({ client: { label: 'tester', isThisOne: true }, holds: [{ name }] })
    for (const [filter, matching] of [
      ['TEST', 1],
      ['nobody', 0],
    ] as const) {
      const { content } = await snapshotOf(dashboard, `page=clients&filter=${filter}&sheet=3`)
      expect(content).toMatchObject({ matching, sheet: 0, sheets: 1 })
    }
    await lease.unlock()
  })

  it.each(['semaphore', 'read-write-lock', 'latch'] as const)('a %s and who waits for it', async (object) => {
    const name = uniqueName(object)
    const rival = clients.open(scene.redis.url)
    const ends: Promise<unknown>[] = []
    if (object === 'semaphore') {
      await scene.holdfast.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 })
      ends.push(rival.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 }))
    } else if (object === 'read-write-lock') {
      await scene.holdfast.getReadWriteLock(name).read.lock()
      ends.push(rival.getReadWriteLock(name).write.lock())
    } else {
      await scene.holdfast.getCountDownLatch(name).trySetCount(2)
      ends.push(rival.getCountDownLatch(name).wait())
    }
    for (const end of ends) end.catch(() => undefined)
    const dashboard = open()
    await until(
      async () => {
        const { content } = await snapshotOf(
          dashboard,
          `page=lock&object=${object}&name=${encodeURIComponent(name)}`,
        )
        if (content?.page !== 'lock' || content.waiterCount !== 1) return false
        expect(content.holderCount).toBe(object === 'latch' ? 0 : 1)
        expect(content.parties).toEqual(object === 'latch' ? { all: 2, left: 2, counted: [] } : null)
        expect(content.semaphore).toEqual(object === 'semaphore' ? { taken: 2, all: 3, owners: 1 } : null)
        return true
      },
      { timeoutMs: 15_000 },
    )
  })

  it('locks by part of a name', async () => {
    const name = uniqueName('find-me')
    const lease = await scene.holdfast.getLock(`shop:${name}:7`).lock()
    const found = (await (await get(open(), `find?pattern=${name}`)).json()) as Findings
    expect(found).toMatchObject({ locks: [{ name: `shop:${name}:7`, object: 'lock' }], isComplete: true })
    await lease.unlock()
  })
})

describe('bounds', () => {
  const watch = (dashboard: Dashboard, i: number, path = 'snapshot'): Promise<Response> =>
    get(dashboard, `${path}?page=lock&object=lock&name=watched-${i}`)

  it('beyond 200 watched locks others are refused with what to do, and the polls of open pages stay frequent', async () => {
    const dashboard = open()
    const responses = await Promise.all(Array.from({ length: 1_000 }, (_, i) => watch(dashboard, i)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(200)
    expect(statuses.filter((status) => status === 429)).toHaveLength(800)
    expect(await responses.at(-1)?.json()).toEqual({
      error: expect.stringMatching(/^200 locks are being watched.* Close pages/) as string,
    })
    expect((await watch(dashboard, 999, 'events')).status).toBe(429)
    // Those that are watched go on, and so does everything else.
    expect(((await (await watch(dashboard, 0)).json()) as Update).everyMs).toBe(4_000)
    expect((await get(dashboard, 'snapshot?page=overview')).status).toBe(200)
  })

  it.each(['events?page=overview', 'snapshot?page=overview', 'find?pattern=a'])(
    "another site's page cannot use them up through a signed-in browser: %s",
    async (path) => {
      const polls = jest.spyOn(scene.holdfast, 'clients')
      for (const site of ['cross-site', 'same-site']) {
        expect((await get(open(), path, { 'sec-fetch-site': site })).status).toBe(403)
      }
      expect(polls).not.toHaveBeenCalled()
      const own = await get(open(), path, { 'sec-fetch-site': 'same-origin' })
      expect(own.status).toBe(200)
      await own.body?.cancel()
    },
  )

  it('whoever opens and leaves pages makes the store read no more locks than whoever stays', async () => {
    const dashboard = open()
    const openedAt = performance.now()
    let opened = 0
    for (let i = 0; i < 1_000; i += 1) {
      const stream = await watch(dashboard, i, 'events')
      if (stream.status === 200) opened += 1
      await stream.body?.cancel()
    }
    expect(opened).toBeLessThanOrEqual(200 * (1 + (performance.now() - openedAt) / 4_000))
  })

  it('beyond 100 streams pages are refused with what to do, until one ends', async () => {
    const dashboard = open({ authorize: () => Promise.resolve(true) })
    const stream = (): Promise<Response> => get(dashboard, 'events?page=overview')
    // Decided about at one moment, when none was open yet.
    const streams = await Promise.all(Array.from({ length: 150 }, stream))
    const refused = await stream()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: expect.stringMatching(/^100 streams are open.* Close or hide/) as string,
    })
    expect((await get(dashboard, 'snapshot?page=overview')).status).toBe(200)
    for (const surplus of streams.slice(100)) expect(await surplus.text()).toMatch(/^retry: \d+\n\n$/)
    await streams[0]?.body?.cancel()
    expect((await stream()).status).toBe(200)
  })
})

it('authorize decides about pages, too, and sees the request of the framework', async () => {
  const dashboard = open({
    authorize: (request: DashboardRequest, { type }: DashboardAction) =>
      type === 'view' && request.raw instanceof Request && request.headers.get('x-user') === 'ann',
  })
  expect((await get(dashboard, '')).status).toBe(403)
  expect((await get(dashboard, 'snapshot?page=overview')).status).toBe(403)
  expect((await get(dashboard, '', { 'x-user': 'ann' })).status).toBe(200)
})

it('close ends every stream, and answers later requests with 503', async () => {
  const dashboard = open()
  const server = await listen(createServer(dashboard.node))
  const streams = [
    await fetch(`${server.origin}/events?page=overview`),
    await get(dashboard, 'events?page=locks'),
  ]
  dashboard.close()
  dashboard.close()
  for (const stream of streams) await stream.text()
  expect((await fetch(server.origin)).status).toBe(503)
  await server.close()
})

it.each([
  [{ everyMs: 10 }, /everyMs must be an integer from 250 to 30000, got 10/],
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
