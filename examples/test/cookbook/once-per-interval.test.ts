import { useApps } from './use-apps.js'

const apps = useApps()

it('three instances whose clocks differ by far more than the job takes run it once per interval', async () => {
  const [everyMs, ticks] = [800, Number(process.env['TICKS'] ?? 10)]
  const instances = await Promise.all(
    ['-150', '0', '150'].map((skew) => apps.start('once-per-interval', { SKEW_MS: skew })),
  )
  for (const instance of instances) await instance.send({ type: 'schedule', everyMs, ticks })
  await Promise.all(instances.map((instance) => instance.waitFor('done', 2 * everyMs * ticks + 20_000)))
  const reply = await apps.redis.call('LRANGE', 'runs', 0, -1)
  const runs = Array.isArray(reply) ? reply.map(Number) : []
  expect(runs).toEqual([...new Set(runs)])
  // Each one but those at the edges, which not all of them had.
  const [first, last] = [Math.min(...runs), Math.max(...runs)]
  expect(runs).toHaveLength((last - first) / everyMs + 1)
  expect(runs.length).toBeGreaterThanOrEqual(ticks)
})
