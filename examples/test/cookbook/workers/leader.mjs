// An instance of an app of which one leads. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit/process'
import { once } from 'node:events'
import { lead } from '../../../dist/cookbook/leader.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL, watchdogTimeoutMs: 3_000 })
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

async function work(signal) {
  await tellParent({ type: 'leads' })
  if (!signal.aborted) await once(signal, 'abort')
  await tellParent({ type: 'stepped down', reason: signal.reason.name })
}

await tellParent({ type: 'ready' })
await lead(
  holdfast,
  'poller',
  stop.signal,
  work,
  (error) => void tellParent({ type: 'error', code: error.code }),
)
await holdfast.close()
process.exit()
