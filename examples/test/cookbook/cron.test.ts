import { until } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
const everyMs = 60_000

const runs = async (): Promise<number[]> => {
  const ticks = await apps.redis.call('LRANGE', 'runs', 0, -1)
  return Array.isArray(ticks) ? ticks.map(Number) : []
}

it('three instances whose clocks differ by more than the job takes run each tick once', async () => {
  const instances = await Promise.all(
    ['-250', '0', '250'].map((skew) => apps.start('cron', { SKEW_MS: skew })),
  )
  for (const instance of instances) await instance.send({ type: 'schedule', everyMs: 700 })
  const ticks = await until(async () => ((await runs()).length >= 5 ? runs() : null))
  expect(ticks).toEqual([...new Set(ticks)])
  expect(ticks).toEqual([...ticks].sort((a, b) => a - b))
})

it('an instance that comes to a tick late, after a newer one or after it was done, does not run it', async () => {
  const [a, b] = [await apps.start('cron'), await apps.start('cron')]
  const tick = async (instance: typeof a, at: number): Promise<unknown> => {
    await instance.send({ type: 'tick', tick: at, job: 'quick', everyMs })
    return (await instance.waitFor('ticked'))['ran']
  }
  expect(await tick(a, 10)).toBe(true)
  expect(await tick(b, 10)).toBe(false)
  expect(await tick(b, 20)).toBe(true)
  expect(await tick(a, 20)).toBe(false)
  expect(await tick(a, 10)).toBe(false)
  expect(await runs()).toEqual([10, 20])
})

it('an instance that starts runs the tick that was due last, unless it was done', async () => {
  const [a, b] = [await apps.start('cron'), await apps.start('cron')]
  // Ten minutes, so that no tick is due during the test except in one run of a hundred, which passes as well.
  const order = { type: 'schedule', everyMs: 600_000 }
  await a.send(order)
  const tick = Number((await a.waitFor('ran'))['tick'])
  expect(tick % 600_000).toBe(0)
  await b.send(order)
  await b.send({ type: 'tick', tick, job: 'quick', everyMs })
  expect(await b.waitFor('ticked')).toMatchObject({ ran: false })
  expect(await runs()).toEqual([...new Set(await runs())])
})

it('when the instance that runs the job is killed, another one runs the same tick', async () => {
  const [a, b] = [await apps.start('cron'), await apps.start('cron')]
  await a.send({ type: 'tick', tick: 10, job: 'slow', everyMs })
  await a.waitFor('began')
  await b.send({ type: 'tick', tick: 10, job: 'slow', everyMs })
  await b.waitFor('waiting')
  await a.kill()
  expect(await b.waitFor('began')).toMatchObject({ tick: 10 })
  await b.send({ type: 'finish' })
  expect(await b.waitFor('ticked')).toMatchObject({ tick: 10, ran: true })
})

it('a job that failed is not recorded, so that the instance that waits tries it', async () => {
  const [a, b] = [await apps.start('cron'), await apps.start('cron')]
  await a.send({ type: 'tick', tick: 10, job: 'failing', everyMs })
  expect(await a.waitFor('ticked')).toMatchObject({ ran: 'Error: the job failed' })
  await b.send({ type: 'tick', tick: 10, job: 'quick', everyMs })
  expect(await b.waitFor('ticked')).toMatchObject({ ran: true })
})

it('a tick is left out when the run before it takes until the next one', async () => {
  const [a, b] = [await apps.start('cron'), await apps.start('cron')]
  await a.send({ type: 'tick', tick: 10, job: 'slow', everyMs })
  await a.waitFor('began')
  await b.send({ type: 'tick', tick: 20, job: 'quick', everyMs: 1_500 })
  expect(await b.waitFor('ticked')).toMatchObject({ tick: 20, ran: false })
  await a.send({ type: 'finish' })
  expect(await a.waitFor('ticked')).toMatchObject({ tick: 10, ran: true })
})

it('croner runs each time that its pattern names on one of two instances', async () => {
  const instances = [await apps.start('cron', { SKEW_MS: '-250' }), await apps.start('cron')]
  for (const instance of instances) await instance.send({ type: 'croner', pattern: '* * * * * *' })
  const ticks = await until(async () => ((await runs()).length >= 3 ? runs() : null))
  expect(ticks).toEqual([...new Set(ticks)])
  for (const tick of ticks) expect(tick % 1_000).toBe(0)
})
