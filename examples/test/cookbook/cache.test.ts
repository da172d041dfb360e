import type { Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
const get = (worker: Worker): Promise<void> => worker.send({ type: 'get', key: 'prices' })

/** One process loads, another one waits for it. */
async function startBoth(): Promise<[Worker, Worker]> {
  const [a, b] = [await apps.start('cache'), await apps.start('cache')]
  await get(a)
  await a.waitFor('loading')
  await get(b)
  await b.waitFor('waiting')
  return [a, b]
}

it('of two processes that miss at once one loads, and both have its value', async () => {
  const [a, b] = await startBoth()
  await a.send({ type: 'loaded', value: '42' })
  expect(await a.waitFor('got')).toMatchObject({ value: '42' })
  expect(await b.waitFor('got')).toMatchObject({ value: '42' })
  expect(b.messages.map(({ type }) => type)).not.toContain('loading')
})

it.each(['fails', 'dies'])('when the one that loads %s, the other one does', async (how) => {
  const [a, b] = await startBoth()
  await (how === 'dies' ? a.kill() : a.send({ type: 'loaded' }))
  await b.waitFor('loading')
  await b.send({ type: 'loaded', value: '43' })
  expect(await b.waitFor('got')).toMatchObject({ value: '43' })
})
