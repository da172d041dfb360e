import { startSteppableRedis, until, type SteppableRedis } from '../src/index.js'

/** These tests need Linux with a C compiler; elsewhere they pass without running. */
function whereClocksStep(name: string, test: (redis: SteppableRedis) => Promise<void>): void {
  it(name, async () => {
    const redis = await startSteppableRedis()
    if (!redis) return
    await using stepped = redis
    await test(stepped)
  })
}

const toleranceMs = 5_000

/** How far the server's clock is ahead of ours, in milliseconds. */
async function aheadMs({ server }: SteppableRedis): Promise<number> {
  const time = await server.call('TIME')
  if (!Array.isArray(time)) throw new Error('unexpected reply to TIME')
  return Number(time[0]) * 1_000 + Number(time[1]) / 1_000 - Date.now()
}

whereClocksStep(
  "a step moves the server's clock at once, in both directions, and steps add up",
  async (redis) => {
    expect(Math.abs(await aheadMs(redis))).toBeLessThan(toleranceMs)
    await redis.stepClock(3_600_000)
    expect(Math.abs((await aheadMs(redis)) - 3_600_000)).toBeLessThan(toleranceMs)
    await redis.stepClock(-7_200_000)
    expect(Math.abs((await aheadMs(redis)) + 3_600_000)).toBeLessThan(toleranceMs)
  },
)

whereClocksStep('times to live follow the clock', async (redis) => {
  const { server } = redis
  await server.call('SET', 'k', 'v', 'PX', 60_000)
  await redis.stepClock(-10_000)
  expect(Math.abs(Number(await server.call('PTTL', 'k')) - 70_000)).toBeLessThan(toleranceMs)
  await redis.stepClock(75_000)
  await expect(server.call('GET', 'k')).resolves.toBeNull()
})

whereClocksStep('a restarted server keeps the stepped clock, and stop ends it', async (redis) => {
  await redis.stepClock(3_600_000)
  await redis.server.restart()
  expect(Math.abs((await aheadMs(redis)) - 3_600_000)).toBeLessThan(toleranceMs)
  await redis.stop()
  await redis.stop()
  await until(() => redis.server.pid === null)
})
