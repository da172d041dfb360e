// A process that reads through a cache. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { cached } from '../../../dist/cookbook/cache.js'

const redis = new Redis(process.env.REDIS_URL)
const holdfast = new Holdfast({ redis, watchdogTimeoutMs: 2_000 })
holdfast.on('waiting', () => void tellParent({ type: 'waiting' }))
await redis.ping()
await tellParent({ type: 'ready' })

async function load() {
  await tellParent({ type: 'loading' })
  const { value } = await fromParent('loaded')
  if (value === undefined) throw new Error('the database is down')
  return value
}

for (;;) {
  const { key } = await fromParent('get')
  void cached(holdfast, redis, key, 60_000, load).then(
    (value) => tellParent({ type: 'got', value }),
    (error) => tellParent({ type: 'failed', error: String(error) }),
  )
}
