import { join } from 'node:path'
import { forkWorker, startRedis, type RedisServer, type Worker } from '@holdfast/testkit'
import { commandsPerCycle } from '../src/commands.js'
import { titleOf } from '../src/contender.js'
import { contenders } from '../src/contenders/contenders.js'
import type { TaskName, TaskOrder, TaskResult } from '../src/tasks/tasks.js'

const workerFile = join(__dirname, '../dist/worker.js')

/** PING locks nothing. */
const locks = contenders.map(titleOf).filter((title) => title !== 'PING')

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

async function withWorkers<T>(
  title: string,
  processes: number,
  use: (workers: readonly Worker[]) => Promise<T>,
) {
  const workers = await Promise.all(
    Array.from({ length: processes }, () => forkWorker(workerFile, { args: [title, server.url] })),
  )
  try {
    await Promise.all(workers.map((worker) => worker.waitFor('ready')))
    return await use(workers)
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}

async function have<Name extends TaskName>(
  worker: Worker,
  task: Name,
  order: TaskOrder<Name>,
): Promise<TaskResult<Name>> {
  await worker.send({ type: 'do', task, order })
  const { result, error } = await worker.waitFor('done')
  if (typeof error === 'string') throw new Error(error)
  return result as TaskResult<Name>
}

const withWorker = <T>(title: string, use: (worker: Worker) => Promise<T>) =>
  withWorkers(title, 1, ([worker]) => {
    if (!worker) throw new Error('the pool has no worker')
    return use(worker)
  })

it.each(locks.filter((title) => title !== 'SET and DEL'))('%s admits one task at a time', async (title) => {
  const visits = await withWorkers(title, 2, async (workers) => {
    const order = { lock: title, tasks: 3, forMs: 600 }
    const all = await Promise.all(workers.map((worker) => have(worker, 'visits', order)))
    return all.flat().sort((one, other) => one.fromUs - other.fromUs)
  })
  expect(visits.length).toBeGreaterThan(1)
  expect(visits.filter(({ fromUs }, index) => fromUs < (visits[index - 1]?.untilUs ?? 0))).toEqual([])
})

it('SET and DEL refuses a second holder', async () => {
  await withWorker('SET and DEL', async (worker) => {
    const order = { lock: 'refused', tasks: 2, forMs: 100 }
    await expect(have(worker, 'visits', order)).rejects.toThrow('refused is held')
  })
})

it.each(['Holdfast', 'node-redisson', 'node-redisson, defaults'])('%s supports re-entry', async (title) => {
  const pace = await withWorker(title, (worker) => have(worker, 'nested', { lock: title, forMs: 50 }))
  expect(pace?.cycles).toBeGreaterThan(0)
})

it.each(['PING', 'SET and DEL', 'Holdfast'])('%s sends two commands per cycle', async (title) => {
  await withWorker(title, async (worker) => {
    const order = { prefix: title, tasks: 1, forMs: 50 }
    await have(worker, 'cycles', order)
    expect(await commandsPerCycle(server.url, () => have(worker, 'cycles', order))).toBe(2)
  })
})
