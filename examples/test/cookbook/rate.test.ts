import { until, type Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
const customer = 'acme'
const minute = 60_000

const startTwo = async (): Promise<[Worker, Worker]> => [await apps.start('rate'), await apps.start('rate')]

async function mayProceed(worker: Worker, periodMs: number): Promise<unknown> {
  await worker.send({ type: 'may proceed', customer, periodMs })
  return (await worker.waitFor('answer'))['allowed']
}

it('calls for one customer run one at a time over two processes, those for another beside them', async () => {
  const [a, b] = await startTwo()
  await a.send({ type: 'call', customer })
  await a.waitFor('began')
  await b.send({ type: 'call', customer })
  await b.waitFor('waiting')
  await b.send({ type: 'call', customer: 'other' })
  expect(await b.waitFor('began')).toMatchObject({ customer: 'other' })
  await b.send({ type: 'finish' })
  expect(await b.waitFor('ended')).toMatchObject({ customer: 'other' })
  await a.send({ type: 'finish' })
  expect(await b.waitFor('began')).toMatchObject({ customer })
})

it('of two processes one may proceed in a period, and again in the next', async () => {
  const [a, b] = await startTwo()
  expect(await mayProceed(a, 1_500)).toBe(true)
  await until(() => mayProceed(b, minute), { what: 'the period to end' })
  expect(await mayProceed(a, minute)).toBe(false)
  expect(await mayProceed(b, minute)).toBe(false)
})

it.each(['killed', 'ended'])('a period outlives the process if that was %s', async (how) => {
  const [a, b] = await startTwo()
  expect(await mayProceed(a, minute)).toBe(true)
  if (how === 'killed') await a.kill()
  else await a.send({ type: 'exit' })
  await a.exited
  expect(await mayProceed(b, minute)).toBe(false)
})

it('those who await their turn get it one period after another, in the order of arrival', async () => {
  const [a, b] = await startTwo()
  await a.send({ type: 'await turn', customer, periodMs: 3_000 })
  await a.waitFor('turn')
  await b.send({ type: 'await turn', customer, periodMs: minute })
  await b.waitFor('waiting')
  await a.send({ type: 'await turn', customer, periodMs: minute })
  await a.waitFor('waiting')
  await b.waitFor('turn')
  expect(a.messages.filter(({ type }) => type === 'turn')).toHaveLength(1)
})
