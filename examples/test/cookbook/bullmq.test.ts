import { Holdfast } from '@holdfast/core'
import { until, type Worker } from '@holdfast/testkit'
import { Queue } from 'bullmq'
import { useApps } from './use-apps.js'

const apps = useApps()
let queue: Queue

beforeEach(() => {
  queue = new Queue('invoices', { connection: { url: apps.redis.url } })
})
afterEach(() => queue.close())

const add = (customerId: string, amount: number) => queue.add('invoice', { customerId, amount })

/** Amounts by what a worker said of them. */
const amounts = (workers: readonly Worker[], type: string): number[] =>
  workers.flatMap(({ messages }) =>
    messages.filter((message) => message.type === type).map((message) => Number(message['amount'])),
  )

it('two workers handle one job per customer at a time, and other customers beside it', async () => {
  const workers = [await apps.start('bullmq'), await apps.start('bullmq')]
  for (const amount of [1, 2, 3]) await add('acme', amount)
  await add('other', 9)
  await until(() => amounts(workers, 'began').length === 2, { what: 'one job of each customer' })
  expect(amounts(workers, 'began')).toContain(9)
  await until(async () => (await queue.getDelayedCount()) === 2, { what: 'the others to be delayed' })

  const done = new Set<number>()
  while (done.size < 3) {
    const running = await until(() => amounts(workers, 'began').find((n) => n !== 9 && !done.has(n)))
    expect(amounts(workers, 'began')).toHaveLength(done.size + 2)
    for (const worker of workers) await worker.send({ type: `finish ${running}` })
    await until(() => amounts(workers, 'ended').includes(running))
    done.add(running)
  }
  expect([...done].sort()).toEqual([1, 2, 3])
})

it('the job of a killed worker is handled by the other one', async () => {
  const a = await apps.start('bullmq')
  await add('acme', 1)
  await a.waitFor('began')
  const b = await apps.start('bullmq')
  await a.kill()
  expect(await b.waitFor('began', 20_000)).toMatchObject({ amount: 1 })
  await b.send({ type: 'finish 1' })
  await until(async () => (await queue.getCompletedCount()) === 1)
})

it('a job whose hold is lost is aborted, and fails', async () => {
  const a = await apps.start('bullmq')
  await add('acme', 1)
  await a.waitFor('began')
  const operator = new Holdfast({ redis: apps.redis.url })
  await operator.getLock('customer:acme').forceUnlock()
  await operator.close()
  expect(await a.waitFor('failed')).toMatchObject({ code: 'LOCK_LOST' })
})
