import { UnavailableError } from '@holdfast/core'
import {
  startMemcached,
  startProxy,
  uniqueName,
  until,
  type FaultProxy,
  type MemcachedServer,
} from '@holdfast/testkit'
import type { MemcachedOptions } from '../../src/memcached/options.js'
import { BareSession, timeoutMs } from './support/bare-session.js'
import { fill, rawCommands } from './support/raw-commands.js'

let server: MemcachedServer
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  server = await startMemcached(['-M', '-m', '4'])
})

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

afterAll(() => server.stop())

async function open(options: Partial<MemcachedOptions> = {}): Promise<BareSession> {
  const session = BareSession.of({ url: server.url, prefix: `${uniqueName('p')}:`, ...options })
  cleanups.push(() => session.close())
  await session.prepare()
  return session
}

async function openProxy(): Promise<FaultProxy> {
  const proxy = await startProxy(server, 'memcached')
  cleanups.push(() => proxy.close())
  return proxy
}

const urlOf = ({ host, port }: { host: string; port: number }): string => `memcached://${host}:${port}`

describe('a document', () => {
  it('is replaced only while it is the version that was read, absent or not', async () => {
    const session = await open()
    const absent = await session.read('a', timeoutMs)
    expect(absent.text).toBe('')
    expect(await session.replace('a', 'one', absent.version, 30_000, timeoutMs)).toBe(true)
    expect(await session.replace('a', 'two', absent.version, 30_000, timeoutMs)).toBe(false)
    const one = await session.read('a', timeoutMs)
    expect(await session.replace('a', 'zwei €\r\n', one.version, 30_000, timeoutMs)).toBe(true)
    expect(await session.replace('a', 'three', one.version, 30_000, timeoutMs)).toBe(false)
    expect(await session.replace('a', '', one.version, 30_000, timeoutMs)).toBe(false)
    expect(await session.textOf('a')).toBe('zwei €\r\n')
    expect(await session.write('a', '')).toBe(true)
    expect(await session.replace('a', 'four', one.version, 30_000, timeoutMs)).toBe(false)
    expect(await session.textOf('a')).toBe('')
  })

  it('has a name of any length and any characters', async () => {
    const session = await open()
    const names = ['a', 'with space', 'a\0b', 'a\r\nb', 'ä', 'x'.repeat(1_024), 'X'.repeat(1_024)]
    for (const name of names) expect(await session.write(name, `of ${name}`)).toBe(true)
    for (const name of names) expect(await session.textOf(name)).toBe(`of ${name}`)
  })

  it.each([1, 29, 31, 400])('is kept for %i days if need be', async (days) => {
    const session = await open({ prefix: 'days:' })
    await session.write(`d${days}`, 'x', days * 24 * 3_600_000)
    const [reply] = await rawCommands(server, `mg days:d${days} t\r\n`)
    const leftS = Number(reply?.words[0]?.slice(1))
    expect(leftS / (24 * 3_600)).toBeCloseTo(days, 2)
    expect(leftS).toBeGreaterThanOrEqual(days * 24 * 3_600)
  })

  it('stays on a full server, whose writes fail, and those of a stranger with another version too', async () => {
    await using full = await startMemcached(['-M', '-m', '2'])
    const session = await open({ url: full.url })
    const other = await open({ url: full.url, prefix: 'p:' })
    const text = 'held '.repeat(100)
    await session.write('a', text)
    const before = await session.read('a', timeoutMs)
    const longer = text.repeat(3)
    for (const { length } of [longer, text]) await fill(full, length)
    const failing = session.replace('a', longer, before.version, 30_000, timeoutMs)
    await expect(failing).rejects.toThrow(UnavailableError)
    await expect(failing).rejects.toThrow(/is full, and runs with -M.*out of memory/)
    const wrong = { ...before.version, cas: '1' }
    expect(await session.replace('a', '', wrong, 30_000, timeoutMs)).toBe(false)
    await expect(session.replace('a', longer, wrong, 30_000, timeoutMs)).rejects.toThrow(UnavailableError)
    expect(await session.read('a', timeoutMs)).toMatchObject({ text, version: { cas: before.version.cas } })
    await expect(other.write('b', text)).rejects.toThrow(UnavailableError)
  })
})

describe('a version', () => {
  it('from before a reconnection is never sent', async () => {
    const proxy = await openProxy()
    const session = await open({ url: urlOf(proxy) })
    await session.write('a', 'one')
    const { version } = await session.read('a', timeoutMs)
    proxy.cut()
    await until(() => session.connectionEpoch === 1)
    expect(await session.replace('a', 'two', version, 30_000, timeoutMs)).toBe(false)
    // The same of one that found nothing: after a restart that says nothing, either.
    const absent = await session.read('b', timeoutMs)
    proxy.cut()
    await until(() => session.connectionEpoch === 2)
    expect(await session.replace('b', 'new', absent.version, 30_000, timeoutMs)).toBe(false)
    expect([await session.textOf('a'), await session.textOf('b')]).toEqual(['one', ''])
    expect(session.events).toEqual(['broken', 'reconnected', 'broken', 'reconnected'])
  })

  it('does not fit what another process of the server gave the same CAS id', async () => {
    await using own = await startMemcached()
    const [first, second] = [
      await open({ url: own.url, prefix: 'p:' }),
      await open({ url: own.url, prefix: 'p:' }),
    ]
    await first.write('a', 'before')
    const { version } = await first.read('a', timeoutMs)
    await own.restart()
    await until(() => second.textOf('x').then(() => true))
    let isSame = false
    for (let n = 0; n < 20 && !isSame; n += 1) {
      await second.write('a', `after ${n}`)
      isSame = (await second.read('a', timeoutMs)).version.cas === version.cas
    }
    expect(isSame).toBe(true)
    expect(await first.replace('a', 'late', version, 30_000, timeoutMs)).toBe(false)
    expect(await second.textOf('a')).toMatch(/^after/)
  })
})

describe('the data', () => {
  const flush = (): Promise<unknown> => rawCommands(server, 'flush_all\r\n')

  it('has a name, which all clients of a prefix see, and nobody enters while it is new', async () => {
    const prefix = `${uniqueName('p')}:`
    const [first, second] = [await open({ prefix, graceMs: 3_000 }), await open({ prefix })]
    const one = await first.read('a', timeoutMs)
    const two = await second.read('b', timeoutMs)
    expect(one.incarnation).toBe(two.incarnation)
    expect(one.opensInMs).toBeGreaterThan(2_000)
    expect(one.opensInMs).toBeLessThanOrEqual(5_000)
    expect(two.opensInMs).toBe(one.opensInMs)
    await until(async () => (await first.read('a', timeoutMs)).opensInMs === 0)
    const later = await first.read('a', timeoutMs)
    expect(later.nowUs - one.nowUs).toBeGreaterThanOrEqual(3_000_000)
    expect(later.incarnation).toBe(one.incarnation)
  })

  it('is another after flush_all, which a client that does nothing learns within a second or so', async () => {
    const session = await open()
    const before = await session.read('a', timeoutMs)
    await session.write('a', 'x')
    await flush()
    await until(() => session.events.includes('reconnected'), { timeoutMs: 2_900 })
    const after = await session.read('a', timeoutMs)
    expect(after.text).toBe('')
    expect(after.incarnation).not.toBe(before.incarnation)
    expect(after.opensInMs).toBeGreaterThan(0)
    expect(after.nowUs).toBeGreaterThanOrEqual(before.nowUs)
    expect(session.connectionEpoch).toBe(0)
  })

  it('stays closed for the longest lease that any client had in the data before', async () => {
    const prefix = `${uniqueName('p')}:`
    const [brief, long] = [await open({ prefix, graceMs: 2_000 }), await open({ prefix, graceMs: 5_000 })]
    const openings = async (): Promise<unknown[]> => {
      const reads = await Promise.all([brief, long].map((session) => session.read('a', timeoutMs)))
      return reads.map(({ opensInMs }) => opensInMs)
    }
    await brief.read('a', timeoutMs)
    await long.read('a', timeoutMs)
    // Nobody has a lease of data before these: they open as if the one with the long leases were not there.
    expect(Math.max(...(await openings()).map(Number))).toBeLessThanOrEqual(4_000)
    await until(async () => (await openings()).every((ms) => ms === 0))
    // Neither the client with the short leases nor one that knows of nothing has to have been faster to tell.
    await brief.read('a', timeoutMs)
    await flush()
    await brief.read('a', timeoutMs)
    expect(await openings()).toEqual([expect.any(Number), expect.any(Number)])
    expect(Math.min(...(await openings()).map(Number))).toBeGreaterThan(4_000)
    await flush()
    const stranger = await open({ prefix, graceMs: 2_000 })
    await stranger.read('a', timeoutMs)
    await long.read('a', timeoutMs)
    expect((await stranger.read('a', timeoutMs)).opensInMs).toBeGreaterThan(4_000)
  })

  it.each([
    ['nobody has looked since', () => Promise.resolve()],
    ['another client has looked since', async () => (await open()).textOf('b')],
  ])('takes no document that was absent in data before flush_all, if %s', async (_, look) => {
    const session = await open()
    const { version } = await session.read('overtaken', timeoutMs)
    await flush()
    await look()
    expect(await session.replace('overtaken', 'held', version, 30_000, timeoutMs)).toBe(false)
    expect(await session.textOf('overtaken')).toBe('')
    const after = await session.read('overtaken', timeoutMs)
    expect(await session.replace('overtaken', 'held', after.version, 30_000, timeoutMs)).toBe(true)
    expect(await session.textOf('overtaken')).toBe('held')
  })

  it('is as old as itself, not as the server', async () => {
    const session = await open()
    await session.read('a', timeoutMs)
    await until(async () => ((await session.uptimeMs()) ?? 0) >= 2_000)
    await flush()
    await session.read('a', timeoutMs)
    expect(await session.uptimeMs()).toBeLessThanOrEqual(1_000)
  })

  it('counts as lost when only the clock key is, and documents stay', async () => {
    const session = await open({ prefix: 'clockless:' })
    await session.write('a', 'held')
    const before = await session.read('a', timeoutMs)
    await rawCommands(server, 'md clockless:clock\r\n')
    const after = await session.read('a', timeoutMs)
    expect(after).toMatchObject({ text: 'held', version: { cas: before.version.cas } })
    expect(after.incarnation).not.toBe(before.incarnation)
    expect(after.opensInMs).toBeGreaterThan(0)
    expect(after.nowUs).toBeGreaterThanOrEqual(before.nowUs)
    expect(session.events).toEqual(['reconnected'])
  })

  it('is refused where another application uses the key of the clock', async () => {
    await rawCommands(server, 'set taken:clock 0 0 5\r\nhello\r\n')
    const session = await open({ prefix: 'taken:' })
    await expect(session.read('a', timeoutMs)).rejects.toThrow(
      /its key taken:clock is not Holdfast's clock: delete it, or give another prefix/,
    )
  })
})
