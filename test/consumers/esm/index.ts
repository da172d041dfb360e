import { Holdfast, locked, LockTimeoutError } from '@holdfast/core'
import type { Lease } from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import { createDashboard } from '@holdfast/cli/dashboard'
import { memory } from '@holdfast/stores/memory'
import { Redis } from 'ioredis'

const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
await using holdfast = new Holdfast({ redis })
const lock = holdfast.getLock(`consumer-${process.pid}`)

/** Decorated with standard decorators. */
class Job {
  readonly base = 10

  @locked(lock)
  async holdCount(): Promise<number> {
    return lock.holdCount() + this.base
  }

  @locked(function (this: Job, id: string) {
    return holdfast.getLock(`${id}:${this.base}`)
  })
  async named(id: string, suffix: string): Promise<string> {
    return id + suffix
  }

  // @ts-expect-error -- of a call without arguments nobody can say which lock
  @locked((id: string) => holdfast.getLock(id))
  async without(): Promise<void> {}

  // @ts-expect-error -- what returns no promise would outlive the lock
  @locked(lock)
  synchronous(): number {
    return 1
  }
}
const job = new Job()
const decorated = [await job.holdCount(), await job.named(`consumer-${process.pid}`, '!')]

const counts = await lock.withLock(async (outer: Lease) => [
  outer.holdCount,
  await lock.withLock(({ holdCount }) => holdCount),
])
const lease = await lock.lock({ leaseMs: 1000 })
const timeout: unknown = await lock.lock({ waitMs: 50 }).catch((error: unknown) => error)
await lease.unlock()
await using sharing = new Holdfast({ engine: redisson({ redis, semaphores: 'RSemaphore' }) })
const shared = await sharing.getFencedLock(`consumer-${process.pid}`).withLock(({ holdCount }) => holdCount)
const page = await createDashboard({ holdfast }).fetch(new Request('http://localhost/'))
const isPage = (await page.text()).includes('app.')
await Promise.all([holdfast.close(), sharing.close()])
redis.disconnect()
if (
  decorated[0] !== 11 ||
  decorated.length !== 2 ||
  !isPage ||
  shared !== 1 ||
  String(counts) !== '1,2' ||
  !(timeout instanceof LockTimeoutError)
)
  process.exitCode = 1
console.log(`import   counts ${String(counts)}, then ${String(timeout)}; ${memory().name}`)

/** Never called: further options of ioredis compile. */
export const further = (): unknown[] => [
  new Holdfast({ redis: { host: 'cache', connectTimeout: 10_000, protocol: 3 } }),
  new Holdfast({ redis: redis.options }),
]

/** Never called: options that do not go together do not compile. */
export const refused = (): unknown[] => [
  // @ts-expect-error -- either Redis or an engine
  new Holdfast({ redis, engine: memory() }),
  // @ts-expect-error -- an option of Redis
  new Holdfast({ engine: memory(), prefix: 'x:' }),
  // @ts-expect-error -- an option of Redis
  new Holdfast({ engine: memory(), minReplicas: 1 }),
  // @ts-expect-error -- an engine
  new Holdfast({ redis: memory() }),
  // @ts-expect-error -- somebody has to decide who may evict
  createDashboard({ holdfast, readOnly: false }),
]
