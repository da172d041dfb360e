import type { Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
const jobId = 'charge-7'

const startTwo = async (): Promise<[Worker, Worker]> => [
  await apps.start('job-queue'),
  await apps.start('job-queue'),
]
const deliver = (worker: Worker): Promise<void> => worker.send({ type: 'deliver', jobId })
const finish = (worker: Worker, result: string): Promise<void> => worker.send({ type: 'finish', result })

it('a job that is delivered to two workers at once is done once, and both have its result', async () => {
  const [a, b] = await startTwo()
  await deliver(a)
  await a.waitFor('working')
  await deliver(b)
  await b.waitFor('waiting')
  await finish(a, 'receipt 1')
  expect(await a.waitFor('handled')).toMatchObject({ result: 'receipt 1' })
  expect(await b.waitFor('handled')).toMatchObject({ result: 'receipt 1' })
  expect(b.messages.map(({ type }) => type)).not.toContain('working')
})

it('a job that is delivered again later is not done again', async () => {
  const [a, b] = await startTwo()
  await deliver(a)
  await finish(a, 'receipt 1')
  await a.waitFor('handled')
  await deliver(b)
  expect(await b.waitFor('handled')).toMatchObject({ result: 'receipt 1' })
  expect(b.messages.map(({ type }) => type)).not.toContain('working')
})

it('a job whose worker was killed is done by the next one, with the same idempotency key', async () => {
  const [a, b] = await startTwo()
  await deliver(a)
  expect(await a.waitFor('working')).toMatchObject({ idempotencyKey: jobId })
  await a.kill()
  await deliver(b)
  expect(await b.waitFor('working')).toMatchObject({ idempotencyKey: jobId })
  await finish(b, 'receipt 2')
  expect(await b.waitFor('handled')).toMatchObject({ result: 'receipt 2' })
})

it('a worker that was frozen past its lease cannot overwrite the result of the newer one', async () => {
  const [a, b] = await startTwo()
  await deliver(a)
  await a.waitFor('working')
  await a.freeze()
  await deliver(b)
  await b.waitFor('working')
  await finish(a, 'stale receipt')
  a.thaw()
  expect(await a.waitFor('refused')).toMatchObject({
    error: expect.stringMatching(/^LockLostError: the lease expired/) as unknown,
  })
  await finish(b, 'receipt 2')
  expect(await b.waitFor('handled')).toMatchObject({ result: 'receipt 2' })
  expect(await apps.redis.call('HGET', `job-record:${jobId}`, 'result')).toBe('receipt 2')
})
