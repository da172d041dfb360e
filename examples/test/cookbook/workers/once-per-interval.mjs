// An instance of an app with a short job. Environment: REDIS_URL, SKEW_MS, by how much its clock is ahead.
const skewMs = Number(process.env.SKEW_MS ?? 0)

const { Holdfast } = await import('@holdfast/core')
const { fromParent, tellParent } = await import('@holdfast/testkit/process')
const { Redis } = await import('ioredis')
const { setTimeout: sleep } = await import('node:timers/promises')
const { oncePerInterval } = await import('../../../dist/cookbook/once-per-interval.js')

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis })
await redis.ping()
await tellParent({ type: 'ready' })

const { everyMs, ticks } = await fromParent('schedule')
const now = () => Date.now() + skewMs
for (let n = 0; n < ticks; n++) {
  const tick = (Math.floor(now() / everyMs) + 1) * everyMs
  await sleep(tick - now())
  await oncePerInterval(holdfast, 'job', everyMs, async () => {
    await redis.rpush('runs', tick)
  })
}
// Frees nothing that is to be kept.
await holdfast.close()
await tellParent({ type: 'done' })
redis.disconnect()
