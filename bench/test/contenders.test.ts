import { join } from 'node:path'
import {
  forkWorker,
  isFullMatrix,
  onOwnPostgres,
  startRedis,
  type RedisServer,
  type Worker,
} from '@holdfast/testkit'
import { contenders } from '../src/adapters/contenders.js'
import { starts, type StoreName } from '../src/stores.js'
import type { TaskResult } from '../src/tasks/tasks.js'

const worker = join(__dirname, '../dist/worker.js')

let redis: RedisServer

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(() => redis.stop())

async function visitsOf(process: Worker, title: string): Promise<TaskResult<'visits'>> {
  await process.waitFor('ready')
  await process.send({ type: 'do', task: 'visits', order: { lock: title, tasks: 3, forMs: 200 } })
  const { result, error } = await process.waitFor('done')
  if (typeof error === 'string') throw new Error(error)
  return result as TaskResult<'visits'>
}

/** Has two processes with three tasks each enter one lock, and compares when each was inside. */
async function admitsOneAtATime(title: string, url: string): Promise<void> {
  const processes = await Promise.all([1, 2].map(() => forkWorker(worker, { args: [title, url] })))
  try {
    const all = (await Promise.all(processes.map((process) => visitsOf(process, title)))).flat()
    const visits = all.sort((one, other) => one.fromUs - other.fromUs)
    expect(visits.length).toBeGreaterThan(1)
    expect(visits.filter(({ fromUs }, index) => fromUs < (visits[index - 1]?.untilUs ?? 0))).toEqual([])
  } finally {
    await Promise.all(processes.map((process) => process.kill()))
  }
}

/** Adapters change with their libraries: by default only our own are tried. */
const tried = (store: StoreName): string[] =>
  contenders[store]
    .filter(({ library, waits }) => waits !== 'never' && (isFullMatrix || library.startsWith('Holdfast')))
    .map(({ library }) => library)

it.each(tried('redis'))('%s admits one task at a time', (title) => admitsOneAtATime(title, redis.url))

for (const store of ['postgres', 'mysql', 'zookeeper', 'etcd', 'memcached'] as const) {
  const test = store === 'postgres' ? onOwnPostgres(it) : it
  test.each(tried(store))('%s admits one task at a time', (title) =>
    starts[store](contenders[store], ({ urlOf }) => admitsOneAtATime(title, urlOf({ library: title }))),
  )
}
