import core = require('@holdfast/core')
import redisson = require('@holdfast/core/redisson')
import dashboard = require('@holdfast/cli/dashboard')
import memory = require('@holdfast/stores/memory')
import ioredis = require('ioredis')

const redis = new ioredis.Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const holdfast = new core.Holdfast({ redis })
const lock = holdfast.getLock(`consumer-${process.pid}`)

/** Decorated with TypeScript's `experimentalDecorators`. */
class Job {
  @core.locked(lock)
  async holdCount(more: number): Promise<number> {
    return lock.holdCount() + more
  }

  // @ts-expect-error -- of a call without arguments nobody can say which lock
  @core.locked((id: string) => holdfast.getLock(id))
  async without(): Promise<void> {}

  // @ts-expect-error -- what returns no promise would outlive the lock
  @core.locked(lock)
  synchronous(): number {
    return 1
  }
}

async function main(): Promise<void> {
  const counts = await lock.withLock(async (outer: core.Lease) => [
    outer.holdCount,
    await lock.withLock(({ holdCount }) => holdCount),
  ])
  const decorated = await new Job().holdCount(10)
  const lease = await lock.lock({ leaseMs: 1000 })
  const timeout: unknown = await lock.lock({ waitMs: 50 }).catch((error: unknown) => error)
  await lease.unlock()
  const sharing = new core.Holdfast({ engine: redisson.redisson({ redis, semaphores: 'RSemaphore' }) })
  const shared = await sharing.getLock(`consumer-${process.pid}`).withLock(({ holdCount }) => holdCount)
  const page = await dashboard.createDashboard({ holdfast }).fetch(new Request('http://localhost/'))
  const isPage = (await page.text()).includes('app.')
  await Promise.all([holdfast.close(), sharing.close()])
  redis.disconnect()
  if (
    decorated !== 11 ||
    !isPage ||
    shared !== 1 ||
    String(counts) !== '1,2' ||
    !(timeout instanceof core.LockTimeoutError)
  )
    process.exitCode = 1
  console.log(`require  counts ${String(counts)}, then ${String(timeout)}; ${memory.memory().name}`)
}

void main()
