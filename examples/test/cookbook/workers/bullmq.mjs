// A process with a BullMQ worker. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { once } from 'node:events'
import { startWorker } from '../../../dist/cookbook/bullmq.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL, watchdogTimeoutMs: 3_000 })

async function handle({ customerId, amount }, signal) {
  await tellParent({ type: 'began', customerId, amount })
  await Promise.race([
    fromParent(`finish ${amount}`),
    once(signal, 'abort').then(() => signal.throwIfAborted()),
  ])
  await tellParent({ type: 'ended', customerId, amount })
}

const worker = startWorker(holdfast, handle, {
  connection: { url: process.env.REDIS_URL },
  lockDuration: 3_000,
  stalledInterval: 1_000,
})
worker.on('failed', (_, error) => void tellParent({ type: 'failed', code: error.code }))
await worker.waitUntilReady()
process.once('SIGTERM', async () => {
  await worker.close()
  await holdfast.close()
  process.exit()
})
await tellParent({ type: 'ready' })
