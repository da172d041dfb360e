import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { forkWorker, onOwnPostgres, startPostgres, type PostgresServer, type Worker } from '@holdfast/testkit'
import { titleOf } from '../src/contender.js'
import { onRedis, postgresContenders } from '../src/postgres/contenders.js'
import type { TaskResult } from '../src/tasks/tasks.js'

const it = onOwnPostgres(globalThis.it)

const run = promisify(execFile)
const dist = join(__dirname, '../dist')

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

async function visitsOf(worker: Worker, title: string): Promise<TaskResult<'visits'>> {
  await worker.send({ type: 'do', task: 'visits', order: { lock: title, tasks: 3, forMs: 600 } })
  const { result, error } = await worker.waitFor('done')
  if (typeof error === 'string') throw new Error(error)
  return result as TaskResult<'visits'>
}

it.each(postgresContenders.filter((contender) => contender !== onRedis).map(titleOf))(
  '%s admits one task at a time',
  async (title) => {
    const database = title.replaceAll(/\W+/g, '_')
    await server.query(`create database "${database}"`)
    const args = [title, server.urlOf({ database })]
    const workers = await Promise.all([1, 2].map(() => forkWorker(join(dist, 'worker.js'), { args })))
    try {
      await Promise.all(workers.map((worker) => worker.waitFor('ready')))
      const all = (await Promise.all(workers.map((worker) => visitsOf(worker, title)))).flat()
      const visits = all.sort((one, other) => one.fromUs - other.fromUs)
      expect(visits.length).toBeGreaterThan(1)
      expect(visits.filter(({ fromUs }, i) => fromUs < (visits[i - 1]?.untilUs ?? 0))).toEqual([])
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()))
    }
  },
)

/** The lines of the table, by contender, as lists of what its columns show. */
async function linesOf(scenario: string): Promise<string[][]> {
  const args = ['--trial', '--rounds', '1', '--with', 'holdfast', '--scenario', scenario]
  const { stdout } = await run(process.execPath, [join(dist, 'bench.js'), ...args])
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

it.each(['postgres-cycles', 'postgres-hand-off'])(
  '%s: Holdfast sends two statements per cycle',
  async (scenario) => {
    const lines = (await linesOf(scenario)).filter(([title = '']) => /^Holdfast, (un)?logged$/.test(title))
    expect(new Set(lines.map(([title]) => title)).size).toBe(2)
    for (const line of lines) expect(Number(line.at(-1))).toBeCloseTo(2, 1)
  },
  90_000,
)

it('postgres-growth shows dead rows and the size of the tables', async () => {
  const [head = [], ...lines] = await linesOf('postgres-growth')
  expect(head).toEqual(['', 'minute', 'µs per cycle', 'dead rows', 'tables KiB', 'vacuums'])
  expect(lines.filter(([title]) => title?.startsWith('Holdfast'))).toHaveLength(8)
  for (const line of lines.filter(([title]) => title?.startsWith('Holdfast')))
    expect(Number(line[4])).toBeGreaterThan(0)
}, 90_000)

it('postgres-listeners compares with listeners in the same and in another database', async () => {
  const lines = await linesOf('postgres-listeners')
  expect(lines.map(([, listeners]) => listeners)).toEqual(
    expect.arrayContaining(['none', '3, same database', '3, another database']),
  )
}, 90_000)
