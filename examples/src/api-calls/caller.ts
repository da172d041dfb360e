// One process that calls the API on command from the parent.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { figures, variants, type Variant } from './figures.js'

// Ctrl-C reaches every process of a terminal's group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const { url, keyPrefix, apiUrl, watchdogTimeoutMs } = await fromParent('open')
const redis = new Redis(String(url), { keyPrefix: String(keyPrefix), lazyConnect: true })
const holdfast = new Holdfast({ redis, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
const permits = holdfast.getSemaphore('api', { permits: figures.allowed })

const call = async (): Promise<void> => {
  const response = await fetch(String(apiUrl))
  await response.arrayBuffer()
}
const calls: Record<Variant, () => Promise<void>> = {
  unlimited: call,
  semaphore: () => permits.withPermits(call),
}

await tellParent({ type: 'ready' })
for (const variant of variants) {
  await fromParent(variant)
  let left = figures.callsPerProcess
  const lane = async (): Promise<void> => {
    while (left-- > 0) await calls[variant]()
  }
  await Promise.all(Array.from({ length: figures.callsAtOnce }, lane))
  await tellParent({ type: 'done' })
}

const { permits: wanted } = await fromParent('hold')
await permits.acquire({ permits: Number(wanted) })
await tellParent({ type: 'holds' })
