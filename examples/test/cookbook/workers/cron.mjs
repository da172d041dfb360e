// An instance of an app with a cron job. Environment: REDIS_URL, SKEW_MS, by how much its clock is ahead.
const skewMs = Number(process.env.SKEW_MS ?? 0)
const rightNow = Date.now
Date.now = () => rightNow() + skewMs

const { Holdfast } = await import('@holdfast/core')
const { fromParent, tellParent } = await import('@holdfast/testkit/process')
const { Redis } = await import('ioredis')
const { runTick, schedule } = await import('../../../dist/cookbook/cron.js')
const { scheduleCron } = await import('../../../dist/cookbook/cron-croner.js')

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis, watchdogTimeoutMs: 2_000 })
holdfast.on('waiting', () => void tellParent({ type: 'waiting' }))

const jobs = {
  /** Over long before an instance whose clock is behind sees the same tick. */
  quick: (tick) => redis.rpush('runs', tick),
  slow: async (tick) => {
    await tellParent({ type: 'began', tick })
    await fromParent('finish')
  },
  failing: () => Promise.reject(new Error('the job failed')),
}

async function serve(type, act) {
  for (;;) void act(await fromParent(type))
}

void serve('tick', async ({ tick, job, everyMs }) => {
  const ran = await runTick(holdfast, redis, { name: 'job', everyMs, run: jobs[job] }, tick).catch(String)
  await tellParent({ type: 'ticked', tick, ran })
})
const quick = async (tick) => {
  await jobs.quick(tick)
  await tellParent({ type: 'ran', tick })
}
const fail = (error) => {
  throw error
}
void serve('schedule', ({ everyMs }) => {
  schedule(holdfast, redis, { name: 'job', everyMs, run: quick }, fail)
})
void serve('croner', ({ pattern }) => {
  scheduleCron(holdfast, redis, pattern, { name: 'job', everyMs: 1_000, run: quick }, fail)
})
await redis.ping()
await tellParent({ type: 'ready' })
