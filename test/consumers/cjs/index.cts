import core = require('@holdfast/core')
import dashboard = require('@holdfast/dashboard')
import memory = require('@holdfast/memory')
import pubsub = require('@holdfast/pubsub')
import watchdog = require('@holdfast/watchdog')
import ioredis = require('ioredis')

async function main(): Promise<void> {
  const redis = new ioredis.Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
  const holdfast = new core.Holdfast({ redis })
  const lock = holdfast.getLock(`consumer-${process.pid}`)
  const counts = await lock.withLock(async (outer: core.Lease) => [
    outer.holdCount,
    await lock.withLock(({ holdCount }) => holdCount),
  ])
  const lease = await lock.lock({ leaseMs: 1000 })
  const timeout: unknown = await lock.lock({ waitMs: 50 }).catch((error: unknown) => error)
  await lease.unlock()
  const page = await dashboard.createDashboard({ holdfast }).fetch(new Request('http://localhost/'))
  const isPage = (await page.text()).includes('app.')
  await holdfast.close()
  redis.disconnect()
  if (!isPage || String(counts) !== '1,2' || !(timeout instanceof core.LockTimeoutError)) process.exitCode = 1
  console.log(
    `require  counts ${String(counts)}, then ${String(timeout)}; ${pubsub.SubscriberHub.name}, ${watchdog.Watchdog.name}, ${memory.memory().name}`,
  )
}

void main()
