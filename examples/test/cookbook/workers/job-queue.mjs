// A worker of a job queue, to which the test delivers jobs. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { handle } from '../../../dist/cookbook/job-queue.js'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis, watchdogTimeoutMs: 2_000 })
holdfast.on('waiting', () => void tellParent({ type: 'waiting' }))
await redis.ping()
await tellParent({ type: 'ready' })

async function work(idempotencyKey) {
  await tellParent({ type: 'working', idempotencyKey })
  const { result } = await fromParent('finish')
  return result
}

for (;;) {
  const { jobId } = await fromParent('deliver')
  void handle(holdfast, redis, jobId, work).then(
    (result) => tellParent({ type: 'handled', result }),
    (error) => tellParent({ type: 'refused', error: String(error) }),
  )
}
