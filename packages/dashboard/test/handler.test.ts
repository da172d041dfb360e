import { gzipSync } from 'node:zlib'
import { createServer } from 'node:http'
import { startRedis, uniqueName, until, countCommands, type RedisServer } from '@holdfast/testkit'
import { Holdfast, type Lease } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import {
  createDashboard,
  type AuditEntry,
  type Dashboard,
  type DashboardAction,
  type DashboardOptions,
  type DashboardRequest,
  serveDashboard,
} from '../src/index.js'
import { assets } from '../src/assets/generated.js'
import type { Findings, Update } from '../src/shared/payloads.js'
import { Clients } from './support/clients.js'
import { listen } from './support/listening.js'
import { updatesOf, updateWith } from './support/updates.js'

let redis: RedisServer
let holdfast: Holdfast
let dashboards: Dashboard[] = []
const clients = new Clients()

beforeAll(async () => {
  redis = await startRedis()
})

beforeEach(() => {
  holdfast = clients.open(redis.url, { label: 'tester' })
})

afterEach(async () => {
  for (const dashboard of dashboards) dashboard.close()
  dashboards = []
  await clients.closeAll()
})

afterAll(() => redis.stop())

type Options = Omit<DashboardOptions, 'holdfast' | 'readOnly'>

function open(options: Options = {}): Dashboard {
  return kept(createDashboard({ holdfast, everyMs: 250, ...options }))
}

const openWritable = ({ authorize = () => 'ann', ...more }: Options = {}): Dashboard =>
  kept(createDashboard({ holdfast, everyMs: 250, readOnly: false, authorize, ...more }))

function kept(dashboard: Dashboard): Dashboard {
  dashboards.push(dashboard)
  return dashboard
}

const get = (dashboard: Dashboard, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  dashboard.fetch(new Request(`http://locks.example.org/ops/${path}`, { headers }))

const sameOrigin = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

const evict = (
  dashboard: Dashboard,
  body: unknown,
  headers: Record<string, string> = sameOrigin,
): Promise<Response> =>
  dashboard.fetch(
    new Request('http://locks.example.org/ops/evict', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }),
  )

const evictionOf = (lease: Lease, more: object = {}) => {
  const { name, owner, kind } = lease
  return { name, owner, kind, typedName: name, ...more }
}

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
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      )
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
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
    await holdfast.getLock(uniqueName('warm-up')).withLock(() => undefined)
    const dashboard = open()
    const seen = async (during: () => Promise<unknown>): Promise<number> => {
      const { counts } = await countCommands(redis.url, during)
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
    await until(
      async () =>
        (await seen(() =>
          holdfast
            .getLock('other')
            .isLocked()
            .then(() => undefined),
        )) <= 1,
      {},
    )
    const afterwards = await seen(async () => {
      const end = performance.now() + 1_000
      await until(() => performance.now() > end)
    })
    expect(afterwards).toBe(0)
  })

  it('is the same for one page and for ten', async () => {
    const calls = jest.spyOn(holdfast, 'rollCall')
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
    const snapshot = await get(dashboard, `snapshot?page=lock&object=lock&name=watched-${i}`)
    return ((await snapshot.json()) as Update).everyMs
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
    const again = (await (await get(dashboard, `snapshot?${path}`)).json()) as Update
    expect(again.content?.page === 'lock' && again.content.queueLengths.length).toBeGreaterThanOrEqual(4)
    await page.return()
  })

  it('the queue of a contended lock, its holder and since when', async () => {
    const name = uniqueName('contended')
    const rival = clients.open(redis.url, { label: 'rival' })
    const lease = await holdfast.getLock(name).lock()
    const waiting = rival.getLock(name).lock()
    const dashboard = open()
    const row = await until(
      async () => {
        const { content } = (await (await get(dashboard, 'snapshot?page=locks')).json()) as Update
        return content?.page === 'locks' && content.contended.find((each) => each.name === name)
      },
      { timeoutMs: 15_000 },
    )
    expect(row).toMatchObject({
      waiterCount: 1,
      holder: { owner: lease.owner, process: { label: 'tester', pid: process.pid } },
    })
    expect(row.heldMs).toBeGreaterThan(0)
    const { content } = (await (
      await get(dashboard, `snapshot?page=lock&object=lock&name=${encodeURIComponent(name)}`)
    ).json()) as Update
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
    const lease = await holdfast.getLock(name).lock()
    const dashboard = open()
    const { content: clientPage } = (await (
      await get(dashboard, `snapshot?page=client&clientId=${holdfast.clientId}`)
    ).json()) as Update
    expect(clientPage).toMatchObject({ client: { label: 'tester', isThisOne: true }, holds: [{ name }] })
    for (const [filter, matching] of [
      ['TEST', 1],
      ['nobody', 0],
    ] as const) {
      const { content } = (await (
        await get(dashboard, `snapshot?page=clients&filter=${filter}&sheet=3`)
      ).json()) as Update
      expect(content).toMatchObject({ matching, sheet: 0, sheets: 1 })
    }
    await lease.unlock()
  })

  it.each(['semaphore', 'read-write-lock', 'latch'] as const)('a %s and who waits for it', async (object) => {
    const name = uniqueName(object)
    const rival = clients.open(redis.url)
    const ends: Promise<unknown>[] = []
    if (object === 'semaphore') {
      await holdfast.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 })
      ends.push(rival.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 }))
    } else if (object === 'read-write-lock') {
      await holdfast.getReadWriteLock(name).read.lock()
      ends.push(rival.getReadWriteLock(name).write.lock())
    } else {
      await holdfast.getCountDownLatch(name).trySetCount(2)
      ends.push(rival.getCountDownLatch(name).wait())
    }
    for (const end of ends) end.catch(() => undefined)
    const dashboard = open()
    await until(
      async () => {
        const { content } = (await (
          await get(dashboard, `snapshot?page=lock&object=${object}&name=${encodeURIComponent(name)}`)
        ).json()) as Update
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
    const lease = await holdfast.getLock(`shop:${name}:7`).lock()
    const found = (await (await get(open(), `find?pattern=${name}`)).json()) as Findings
    expect(found).toMatchObject({ locks: [{ name: `shop:${name}:7`, object: 'lock' }], isComplete: true })
    await lease.unlock()
  })
})

describe('an eviction', () => {
  const audited: AuditEntry[] = []
  const writable = (more: Options = {}): Dashboard =>
    openWritable({ audit: (entry) => void audited.push(entry), ...more })

  beforeEach(() => void audited.splice(0))

  it('is impossible unless it was made possible', async () => {
    const lease = await holdfast.getLock(uniqueName('kept')).lock()
    expect((await evict(open(), evictionOf(lease))).status).toBe(403)
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
  })

  it('needs someone who decides about it', () => {
    // @ts-expect-error -- the types say so, too
    expect(() => createDashboard({ holdfast, readOnly: false })).toThrow(/needs authorize/)
  })

  const refused: readonly (readonly [string, Options, object, Record<string, string>, number])[] = [
    ['the name that was typed is another', {}, { typedName: 'something' }, sameOrigin, 400],
    ['it comes from another site', {}, {}, { ...sameOrigin, 'sec-fetch-site': 'cross-site' }, 403],
    ['it is a form', {}, {}, { ...sameOrigin, 'content-type': 'text/plain' }, 415],
    ['authorize says no', { authorize: () => false }, {}, sameOrigin, 403],
    ['authorize says no name', { authorize: () => '' }, {}, sameOrigin, 403],
    ['authorize fails', { authorize: () => Promise.reject(new Error('no session')) }, {}, sameOrigin, 403],
  ]
  it.each(refused)('is refused if %s', async (_, options, change, headers, status) => {
    const lease = await holdfast.getLock(uniqueName('kept')).lock()
    expect((await evict(writable(options), evictionOf(lease, change), headers)).status).toBe(status)
    expect(lease.isHeld).toBe(true)
    const [entry] = audited
    expect(entry?.outcome).toBe('authorize' in options ? 'refused' : undefined)
    await lease.unlock()
  })

  it('says what became of it although audit fails, and leaves the entry on stderr', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    const audit = (): never => {
      throw new Error('disk full')
    }
    const lease = await holdfast.getLock(uniqueName('unrecorded')).lock()
    const refusal = await evict(writable({ audit, authorize: () => false }), evictionOf(lease))
    const eviction = await evict(writable({ audit }), evictionOf(lease))
    const lines = stderr.mock.calls.map(([line]) => String(line))
    stderr.mockRestore()
    expect(refusal.status).toBe(403)
    expect(await eviction.json()).toEqual({ outcome: 'evicted' })
    expect(lines).toEqual([
      expect.stringMatching(/"outcome":"refused".*disk full/),
      expect.stringMatching(/"outcome":"evicted".*disk full/),
    ])
  })

  it('is one line on stderr that no terminal obeys', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    const lease = await holdfast.getLock(`${uniqueName('obeyed')}\u009b2J\u202e`).lock()
    await evict(openWritable(), evictionOf(lease))
    const lines = stderr.mock.calls.map(([line]) => String(line))
    stderr.mockRestore()
    expect(lines).toEqual([expect.stringMatching(/^holdfast dashboard: .*\\u009b2J\\u202e.*\n$/)])
  })

  it('evicts the owner that was shown, and not the one that came after it', async () => {
    const name = uniqueName('evicted')
    const first = await holdfast.getLock(name).lock()
    const shown = evictionOf(first)
    await first.unlock()
    const second = await holdfast.getLock(name).lock()
    expect(await (await evict(writable(), shown)).json()).toEqual({ outcome: 'not-held' })
    expect(second.isHeld).toBe(true)
    expect(await (await evict(writable(), evictionOf(second))).json()).toEqual({ outcome: 'evicted' })
    expect(second.isHeld).toBe(false)
    expect(audited.map(({ outcome, by }) => [outcome, by])).toEqual([
      ['not-held', 'ann'],
      ['evicted', 'ann'],
    ])
  })

  it('hands permits, and either side of a read/write lock, to the next waiter', async () => {
    const { read } = holdfast.getReadWriteLock(uniqueName('sides'))
    const reading = await read.lock()
    expect(await (await evict(writable(), evictionOf(reading))).json()).toEqual({ outcome: 'evicted' })
    const pool = holdfast.getSemaphore(uniqueName('pool'), { permits: 1 })
    const permit = await pool.acquire()
    const next = pool.acquire()
    const { name, owner, kind } = permit
    expect(await (await evict(writable(), { name, owner, kind, typedName: name })).json()).toEqual({
      outcome: 'evicted',
    })
    await (await next).release()
  })

  it('of a name with characters that cannot be seen takes the name as it is shown', async () => {
    const name = `${uniqueName('hostile')}\u202e\u0007`
    const lease = await holdfast.getLock(name).lock()
    const typedName = name.replace('\u202e', '\\u202e').replace('\u0007', '\\u0007')
    expect(await (await evict(writable(), evictionOf(lease, { typedName }))).json()).toEqual({
      outcome: 'evicted',
    })
  })
})

describe('a host', () => {
  it('that is not allowed is refused before anything else, and the reply names the option', async () => {
    const authorize = jest.fn(() => 'ann')
    const dashboard = openWritable({ authorize, allowedHosts: ['locks.example.org', '::1'] })
    const lease = await holdfast.getLock(uniqueName('rebound')).lock()
    const server = await listen(createServer(dashboard.node))
    // As a page of the attacker sends it once its name leads here: to the browser both are one site.
    const headers = { ...sameOrigin, host: 'evil.example', origin: 'http://evil.example' }
    const forged = new Request('http://evil.example/ops/evict', {
      method: 'POST',
      headers,
      body: JSON.stringify(evictionOf(lease)),
    })
    // By its own address, which is not in the list.
    for (const response of [await dashboard.fetch(forged), await fetch(server.origin)]) {
      expect(response.status).toBe(421)
      expect(await response.json()).toEqual({
        error: expect.stringContaining('add it to allowedHosts') as string,
      })
    }
    expect(authorize).not.toHaveBeenCalled()
    expect(lease.isHeld).toBe(true)
    expect((await get(dashboard, '')).status).toBe(200)
    const byAddress = new Request('http://[::1]:8080/ops/')
    expect((await dashboard.fetch(byAddress)).status).toBe(200)
    await server.close()
  })

  it('of any name is allowed unless some are listed: an application may have many', async () => {
    expect((await open().fetch(new Request('http://anything.example/'))).status).toBe(200)
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
      const polls = jest.spyOn(holdfast, 'clients')
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

it('a body that a parser has read and not handed over is an error that says so', async () => {
  const dashboard = openWritable({ authorize: () => true })
  const server = await listen(
    createServer((request, response) => {
      request.resume().once('end', () => dashboard.node(request, response))
    }),
  )
  const response = await fetch(`${server.origin}/evict`, { method: 'POST', headers: sameOrigin, body: '{}' })
  expect(await response.json()).toMatchObject({ error: expect.stringContaining('request.body') as string })
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
])('options that make no sense are refused: %j', (options, message) => {
  expect(() => createDashboard({ holdfast, ...options } as DashboardOptions)).toThrow(message)
})

it('an engine that cannot list locks has no dashboard', async () => {
  await using shared = new Holdfast({ engine: redisson({ redis: redis.url }) })
  expect(() => createDashboard({ holdfast: shared })).toThrow(
    /a client that can list locks and clients.*`operator`$/,
  )
})

it('what is not options is refused, with how to pass a client', async () => {
  const make = (given?: unknown): unknown => Reflect.apply(createDashboard, undefined, [given])
  expect(() => make()).toThrow('options must be an object, got undefined; pass createDashboard({ holdfast })')
  expect(() => make(holdfast)).toThrow('got a Holdfast client; pass createDashboard({ holdfast })')
  await expect(Reflect.apply(serveDashboard, undefined, [holdfast])).rejects.toThrow(
    'got a Holdfast client; pass serveDashboard({ holdfast })',
  )
})
