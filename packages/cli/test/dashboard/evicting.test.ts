import { createServer } from 'node:http'
import { uniqueName } from '@holdfast/testkit'
import { createDashboard, type AuditEntry, type Dashboard } from '../../src/dashboard/index.js'
import { listen } from './support/listening.js'

import { evict, evictionOf, get, sameOrigin, useDashboards, type Options } from './support/dashboards.js'

const scene = useDashboards()
const { open, openWritable } = scene

describe('an eviction', () => {
  const audited: AuditEntry[] = []
  const writable = (more: Options = {}): Dashboard =>
    openWritable({ audit: (entry) => void audited.push(entry), ...more })

  beforeEach(() => void audited.splice(0))

  it('is impossible unless it was made possible', async () => {
    const lease = await scene.holdfast.getLock(uniqueName('kept')).lock()
    expect((await evict(open(), evictionOf(lease))).status).toBe(403)
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
  })

  it('needs someone who decides about it', () => {
    // @ts-expect-error -- the types say so, too
    expect(() => createDashboard({ holdfast: scene.holdfast, readOnly: false })).toThrow(/needs authorize/)
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
    const lease = await scene.holdfast.getLock(uniqueName('kept')).lock()
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
    const lease = await scene.holdfast.getLock(uniqueName('unrecorded')).lock()
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
    const lease = await scene.holdfast.getLock(`${uniqueName('obeyed')}\u009b2J\u202e`).lock()
    await evict(openWritable(), evictionOf(lease))
    const lines = stderr.mock.calls.map(([line]) => String(line))
    stderr.mockRestore()
    expect(lines).toEqual([expect.stringMatching(/^holdfast dashboard: .*\\u009b2J\\u202e.*\n$/)])
  })

  it('evicts the owner that was shown, and not the one that came after it', async () => {
    const name = uniqueName('evicted')
    const first = await scene.holdfast.getLock(name).lock()
    const shown = evictionOf(first)
    await first.unlock()
    const second = await scene.holdfast.getLock(name).lock()
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
    const { read } = scene.holdfast.getReadWriteLock(uniqueName('sides'))
    const reading = await read.lock()
    expect(await (await evict(writable(), evictionOf(reading))).json()).toEqual({ outcome: 'evicted' })
    const pool = scene.holdfast.getSemaphore(uniqueName('pool'), { permits: 1 })
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
    const lease = await scene.holdfast.getLock(name).lock()
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
    const lease = await scene.holdfast.getLock(uniqueName('rebound')).lock()
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

it('a body that a parser has read and not handed over is an error that says so', async () => {
  const dashboard = openWritable({ authorize: () => true })
  const server = await listen(
    createServer((request, response) =>
      request.resume().once('end', () => dashboard.node(request, response)),
    ),
  )
  const response = await fetch(`${server.origin}/evict`, { method: 'POST', headers: sameOrigin, body: '{}' })
  expect(await response.json()).toMatchObject({ error: expect.stringContaining('request.body') as string })
  await server.close()
})
