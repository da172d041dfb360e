import { createRequire } from 'node:module'
import { format } from 'node:util'
import { runInNewContext } from 'node:vm'

import { startRedis } from '@holdfast/testkit'
import type { RedisServer } from '@holdfast/testkit'
import * as ioredis from 'ioredis'

import * as core from '../src/index.js'
import { compile, readPage, readSnippets, typeErrors } from './readme-snippets.js'
import type { Snippet } from './readme-snippets.js'

const snippets = readSnippets()
const nodeRequire = createRequire(__filename)
const ends = new Set<() => Promise<void> | void>()
let server: RedisServer

/** As in the packages, but ended after the test: pages need not show the end of everything. */
class Holdfast extends core.Holdfast {
  readonly tracked = ends.add(() => this.close())
}

class Redis extends ioredis.Redis {
  readonly tracked = ends.add(() => {
    this.disconnect()
  })
}

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => server.call('FLUSHALL'))

afterEach(async () => {
  const ending = [...ends].reverse()
  ends.clear()
  for (const end of ending) await end()
})

afterAll(() => server.stop())

/** Runs a snippet as a program of its own would run, and answers what it printed. */
async function run(snippet: Snippet): Promise<string[]> {
  const code = compile(snippet).replaceAll('redis://localhost:6379', server.url)
  const modules: Record<string, unknown> = {
    '@holdfast/core': { ...core, Holdfast },
    ioredis: { ...ioredis, Redis },
  }
  const exports: { run?: () => Promise<void> } = {}
  const printed: string[] = []
  runInNewContext(code, {
    exports,
    require: (name: string): unknown => modules[name] ?? nodeRequire(name),
    console: { log: (...args: unknown[]) => printed.push(format(...args)) },
    AbortController,
    AbortSignal,
    Error,
    Symbol,
    performance,
    process,
    setTimeout,
  })
  await exports.run?.()
  return printed
}

it('the ACL rule of README.md is enough for everything that a client does', async () => {
  const rule = /ACL SETUSER locks (.*?)```/s.exec(readPage('README.md'))?.[1] ?? ''
  await server.call('ACL', 'SETUSER', 'locks', 'reset', ...rule.trim().split(/\s+/))
  const faults: unknown[] = []
  const openClient = (): Holdfast =>
    new Holdfast({ redis: server.url.replace('//', '//locks:secret@'), watchdogTimeoutMs: 1_000 })
      .on('warning', (warning) => faults.push(warning))
      .on('error', (error) => faults.push(error))
  const [holdfast, rival] = [openClient(), openClient()]
  const [lock, rivals] = [holdfast.getLock('least'), rival.getLock('least')]
  const renewed = new Promise((resolve) => holdfast.once('renewed', resolve))
  await lock.withLock(async () => {
    await Promise.all([renewed, lock.withLock(() => lock.inspect()), rivals.tryLock({ waitMs: 400 })])
  })
  await lock.lock()
  const waiting = new Promise((resolve) => rival.once('waiting', resolve))
  const next = rivals.lock()
  await waiting
  expect(await lock.forceUnlock()).toBe(true)
  await (await next).unlock()
  expect(faults).toEqual([])
  // ioredis says its name where the server knows how; older servers refuse a rule that allows it.
  const refused = (await server.call('ACL', 'LOG')) as unknown[][]
  expect(refused.filter((entry) => !entry.includes('client|setinfo'))).toEqual([])
})

it('there is something to check on every page', () => {
  expect(new Set(snippets.map(({ file }) => file)).size).toBeGreaterThanOrEqual(5)
})

describe('every snippet', () => {
  let errors: Map<string, string[]>

  beforeAll(() => {
    errors = typeErrors(snippets)
  })

  it.each(snippets.map((snippet) => [snippet.where, snippet] as const))('%s has no type errors', (where) => {
    expect(errors.get(where)).toEqual([])
  })
})

it.each(snippets.map((snippet) => [snippet.where, snippet] as const))(
  '%s runs, and prints what it says',
  async (_, snippet) => {
    const printed = await run(snippet)
    if (snippet.prints.length > 0) expect(printed).toEqual(snippet.prints)
  },
  10_000,
)
