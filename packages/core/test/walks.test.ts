import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import type { Holdfast } from '../src/index.js'
import { closeAll, deleteAfterTest, openHoldfast } from './support/clients.js'
import { nextEvent } from './support/next-event.js'

const root = join(__dirname, '../../..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
/** So that nothing is due by time while a call is followed. */
const quiet = { watchdogTimeoutMs: 600_000 }
/** A newcomer can follow a call through so many files. */
const mostFiles = 22

/** As docs/architecture.md writes it. */
const written = (path: string): string =>
  path.replace(/^.*packages\/core\/src\//, '').replace(/^.*packages\/(\w+)\/src\//, 'packages/$1/src/')

/** Our files on the stack now, those of the outermost calls first. */
function filesNow(): string[] {
  const lines = (new Error().stack ?? '').matchAll(/(\/\S+\/packages\/\w+\/src\/[\w./-]+\.ts)/g)
  return [...lines].map(([, path = '']) => written(path)).reverse()
}

/** Those that the page names in a section, in order, each once. */
function filesIn(heading: string, pattern: RegExp): string[] {
  const section = page.slice(page.indexOf(`\n${heading}\n`) + 1)
  const names = section.slice(0, section.search(/\n##/)).matchAll(pattern)
  return [...new Set([...names].map(([, file = '']) => file))]
}

const walkOf = (heading: string): string[] =>
  filesIn(`## ${heading}`, /^\| \d+\. .*\| `([^`]+)` +\| `[^`]+` +\|$/gm)

let server: RedisServer
const { stackTraceLimit } = Error

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => {
  Error.stackTraceLimit = 200
})

afterEach(async () => {
  jest.restoreAllMocks()
  Error.stackTraceLimit = stackTraceLimit
  await closeAll()
})

afterAll(() => server.stop())

/** Notes which files a call passes: down to each write to a socket, where a script takes over, and up to each new hold. */
function noteFiles(holdfast: Holdfast, scripts: readonly string[][]): { readonly seen: Set<string> } {
  const seen = new Set<string>()
  const note = (files: readonly string[]): void => {
    for (const file of files) seen.add(file)
  }
  const left = [...scripts]
  const writing = jest.spyOn(Socket.prototype, 'write')
  const write = writing.getMockImplementation()
  writing.mockImplementation(function (this: Socket, ...given) {
    const ran = String(given[0]).includes('evalsha') ? left.shift() : undefined
    if (ran) note([...filesNow(), ...ran])
    return write?.apply(this, given) ?? false
  })
  // The event comes of the hold, and these files after it are those of events.
  holdfast.on('acquired', () => {
    const files = filesNow()
    note(files.slice(0, files.indexOf('holding/hold-reports.ts')))
  })
  return { seen }
}

it('docs/architecture.md has every file of an uncontended withLock in order, and they are few', async () => {
  const { holdfast, redis } = openHoldfast(server.url, quiet)
  const name = uniqueName('walk')
  deleteAfterTest(redis, `lock:${name}`)
  const lock = holdfast.getLock(name)
  await lock.withLock(() => undefined)
  const { seen } = noteFiles(holdfast, [['lua/lock/acquire.lua'], ['lua/lock/release.lua']])
  await lock.withLock(() => {
    for (const file of filesNow()) seen.add(file)
  })
  const walk = walkOf('An acquisition, from the call to the store and back')
  expect(walk).toEqual([...seen])
  expect(walk.length).toBeLessThanOrEqual(mostFiles)
})

it('docs/architecture.md has every file of a grant in order, and they are few', async () => {
  const [a, b] = [openHoldfast(server.url, quiet), openHoldfast(server.url, quiet)]
  const name = uniqueName('walk')
  deleteAfterTest(a.redis, `lock:${name}`)
  const lease = await a.holdfast.getLock(name).lock()
  const waits = nextEvent(b.holdfast, 'waiting')
  const waiting = b.holdfast.getLock(name).lock()
  await waits
  const { seen } = noteFiles(b.holdfast, [['lua/lock/release.lua', 'lua/lock/includes/grant.lua']])
  await lease.unlock()
  await waiting
  const walk = walkOf('A grant, from one client to the next')
  expect(walk).toEqual([...seen])
  expect(walk.length).toBeLessThanOrEqual(mostFiles)
})

it('docs/architecture.md names everything else that an uncontended withLock runs', async () => {
  const { holdfast, redis } = openHoldfast(server.url, quiet)
  const name = uniqueName('walk')
  deleteAfterTest(redis, `lock:${name}`)
  const lock = holdfast.getLock(name)
  for (let i = 0; i < 3; i++) await lock.withLock(() => undefined)
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true })
  await lock.withLock(() => undefined)
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  inspector.disconnect()
  // Compiled modules have getters for what they export.
  const ran = result.filter(
    ({ url, functions }) =>
      /packages\/\w+\/src\/(?!index\.ts)/.test(url) &&
      functions.some((one) => one.functionName !== '' && (one.ranges[0]?.count ?? 0) > 0),
  )
  const walk = walkOf('An acquisition, from the call to the store and back').filter(
    (file) => !file.endsWith('.lua'),
  )
  const others = filesIn('### What else a call runs', /`([\w/-]+\.ts)`/g)
  expect([...walk, ...others].sort()).toEqual(ran.map(({ url }) => written(url)).sort())
})
