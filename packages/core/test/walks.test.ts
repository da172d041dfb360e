import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { uniqueName } from '@holdfast/testkit'
import { ownRedis } from './support/own-redis.js'

const page = readFileSync(join(__dirname, '../../../docs/internals/architecture.md'), 'utf8')
/** A newcomer can follow a call through so many files. */
const mostFiles = 17

/** Files, in the order in which they are first passed. */
interface Walks {
  readonly call: readonly string[]
  readonly grant: readonly string[]
  /** Whatever else is called, too, in no order. */
  readonly ran: readonly string[]
}

/** Those that the page names in a section, in order, each once. */
function filesIn(heading: string, pattern: RegExp): string[] {
  const section = page.slice(page.indexOf(`\n${heading}\n`) + 1)
  const names = section.slice(0, section.search(/\n##/)).matchAll(pattern)
  return [...new Set([...names].map(([, file = '']) => file))]
}

const walkOf = (heading: string): string[] =>
  filesIn(`## ${heading}`, /^\| \d+\. .*\| `([^`]+)` +\| `[^`]+` +\|$/gm)

const call = walkOf('An acquisition, from the call to the store and back')
const grant = walkOf('A grant, from one client to the next')

const server = ownRedis()
let walks: Walks

beforeAll(async () => {
  // In a process of its own: what listens to channels of this one would be passed, too.
  const worker = join(__dirname, 'workers/walk.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [worker, server.url, uniqueName('walk')])
  walks = JSON.parse(stdout) as Walks
})

it('docs/internals/architecture.md has every file of an uncontended withLock in order, and they are few', () => {
  expect(call).toEqual(walks.call)
  expect(call.length).toBeLessThanOrEqual(mostFiles)
})

it('docs/internals/architecture.md has every file of a grant in order, and they are few', () => {
  expect(grant).toEqual(walks.grant)
  expect(grant.length).toBeLessThanOrEqual(mostFiles)
})

it('docs/internals/architecture.md names everything else that an uncontended withLock runs', () => {
  const isScript = (file: string): boolean => file.endsWith('.lua')
  const others = filesIn('### What else a call runs', /`([\w/-]+\.ts)`/g)
  expect([...call.filter((file) => !isScript(file)), ...others].sort()).toEqual([...walks.ran].sort())
})
