import { leftoverKeys, openRedis, until, type OpenedRedis } from '@holdfast/testkit'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startProgram, type Program } from './program.js'
import { machineWithoutRedis } from '@holdfast/testkit'

let redis: OpenedRedis
let program: Program | undefined

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

afterAll(() => redis.stop())

/** Runs an example, which must succeed and leave nothing behind; resolves with its output. */
async function outputOf(name: string): Promise<string> {
  const example = (program = startProgram(name, { REDIS_URL: redis.url }))
  const { code, stdout, stderr } = await example.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
  expect(await leftoverKeys(redis.url, `{${name}-*`)).toEqual([])
  return stdout
}

it('nested calls count up to three, down again, and leave the lock free', async () => {
  const stdout = await outputOf('nested-calls')
  expect([...stdout.matchAll(/hold count (\d)/g)].map(([, count]) => Number(count))).toEqual([1, 2, 3, 2, 1])
  expect(stdout).toMatch(/^afterwards +free$/m)
  expect(stdout).toMatch(/outside the lock.*: 1 inside/)
  expect(stdout).toMatch(/inside the lock.*take turns: 1 inside/)
})

it('the long job outlives its lease, and stops when the lock is lost', async () => {
  const stdout = await outputOf('long-job')
  expect(stdout).toContain('does not get in')
  expect(Number(/renewed the lease (\d+) times/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(3)
  const [, printed, pages] = /after (\d+) of (\d+) pages: LockLostError, reason revoked/.exec(stdout) ?? []
  expect(Number(printed)).toBeLessThan(Number(pages))
})

it.each(['nested-calls', 'long-job', 'nestjs'])(
  '%s runs with locks in memory where there is no Redis',
  async (name) => {
    const machine = await machineWithoutRedis()
    try {
      const { code, stdout, stderr } = await (program = startProgram(name, machine.env)).ended
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('Locks: in the memory of this process')
    } finally {
      await machine.remove()
    }
  },
)

it('a late write with an old fencing token is refused', async () => {
  const stdout = await outputOf('fencing')
  expect(stdout).toContain('larger one: true')
  expect(stdout).toContain('Process B writes: accepted')
  expect(stdout).toContain('Process A writes: refused')
  expect(stdout).toContain('isHeld would have said false')
  expect(stdout).toContain('In the store: "from process B"')
})

it('an engine of one’s own carries locks from one client to the next, and says who was evicted', async () => {
  const stdout = await outputOf('own-engine')
  expect(stdout).toContain('Bob tries once: null')
  expect(stdout).toContain('who holds it: Alice')
  expect(stdout).toContain('hold count 2')
  expect(stdout).toContain('larger: true')
  expect(stdout).toContain('gets in: true')
  expect(stdout).toContain('Bob learns why: not-held')
})

it('two instances of a Nest service lock a method, and end requests in flight before they stop', async () => {
  const stdout = await outputOf('nestjs')
  const [, tokens, busy, report, health, last] =
    /^Both.*:\n(.*)^An order.*:\n(.*)^One instance.*:\n(.*)^A health check: (.*)\nRequests in flight.*:\n(.*)/ms.exec(
      stdout,
    ) ?? []
  expect(new Set(tokens?.match(/201 shipped 7 under token \d+/g)).size).toBe(2)
  expect(busy?.match(/409 .*LOCK_TIMEOUT/g)).toHaveLength(2)
  expect(report).toContain('201 sent the report')
  expect(health).toBe('200')
  expect(last?.match(/201 shipped 9/g)).toHaveLength(2)
})

it('every example is in the table of the README with the question it answers', async () => {
  const files = await readdir(join(__dirname, '../src'))
  const readme = await readFile(join(__dirname, '../README.md'), 'utf8')
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const [comment = ''] = (await readFile(join(__dirname, '../src', file), 'utf8')).split('\n')
    const question = comment.replace(/^\/\/ /, '')
    const row = readme.split('\n').find((line) => line.includes(`(src/${file})`))
    expect(row).toContain(question)
  }
})
