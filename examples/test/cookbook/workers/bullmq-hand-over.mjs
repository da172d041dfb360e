// A process with a BullMQ worker that takes locks over. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { startExporter } from '../../../dist/cookbook/bullmq-hand-over.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL, watchdogTimeoutMs: 3_000 })

async function handle(orderId) {
  const { fencingToken } = await holdfast.getLock(`order:${orderId}`).inspect()
  await tellParent({ type: 'began', token: fencingToken })
  await Promise.race([
    fromParent('finish'),
    fromParent('fail').then(() => Promise.reject(new Error('try again'))),
  ])
}

const worker = startExporter(holdfast, handle, {
  connection: { url: process.env.REDIS_URL },
  lockDuration: 3_000,
  stalledInterval: 1_000,
})
await worker.waitUntilReady()
process.once('SIGTERM', async () => {
  await worker.close()
  await holdfast.close()
  process.exit()
})
await tellParent({ type: 'ready' })
