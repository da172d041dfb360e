import { Holdfast, type Lock } from '@holdfast/core'
import { until, type Worker } from '@holdfast/testkit'
import { Queue } from 'bullmq'
import { queueExport, type Export } from '../../src/cookbook/bullmq-hand-over.js'
import { useApps } from './use-apps.js'

const apps = useApps()
let queue: Queue<Export>
let holdfast: Holdfast
let lock: Lock

beforeEach(() => {
  queue = new Queue('exports', { connection: { url: apps.redis.url } })
  holdfast = new Holdfast({ redis: apps.redis.url })
  lock = holdfast.getLock('order:7')
})
afterEach(() => Promise.all([queue.close(), holdfast.close()]))

const tokenOf = async (worker: Worker): Promise<number> =>
  Number((await worker.waitFor('began', 20_000))['token'])

it('the worker has the lock of the request, which was never free in between', async () => {
  await queueExport(holdfast, queue, '7')
  const requested = (await lock.inspect()).fencingToken
  expect(await lock.tryLock()).toBeNull()
  const worker = await apps.start('bullmq-hand-over')
  expect(await tokenOf(worker)).toBeGreaterThan(requested)
  expect(await lock.tryLock()).toBeNull()
  await worker.send({ type: 'finish' })
  await until(async () => !(await lock.isLocked()))
})

it('a retried job acquires the lock again, and so does the job of a killed worker', async () => {
  await queueExport(holdfast, queue, '7')
  const worker = await apps.start('bullmq-hand-over')
  const first = await tokenOf(worker)
  await worker.send({ type: 'fail' })
  const second = await tokenOf(worker)
  expect(second).toBeGreaterThan(first)
  const other = await apps.start('bullmq-hand-over')
  await worker.kill()
  expect(await tokenOf(other)).toBeGreaterThan(second)
  await other.send({ type: 'finish' })
  await until(async () => (await queue.getCompletedCount()) === 1)
})

it('a job that cannot be queued leaves the lock free', async () => {
  await queue.close()
  await expect(queueExport(holdfast, queue, '7')).rejects.toThrow()
  expect(await lock.isLocked()).toBe(false)
})
