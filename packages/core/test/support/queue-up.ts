import type { Lease, Lock } from '../../src/index.js'
import type { LockInRedis } from './lock-in-redis.js'

/**
 * Passes through one lock, in this order behind those that wait already, each of which leaves as soon as it is in.
 * Resolves when all wait.
 */
export async function queueUp(
  inRedis: LockInRedis,
  locks: readonly Lock[],
  onEntered: (lease: Lease, n: number) => void = () => undefined,
): Promise<Promise<void>[]> {
  const queued = (await inRedis.queue()).length
  const passes: Promise<void>[] = []
  for (const [n, lock] of locks.entries()) {
    const pass = lock.withLock((lease) => onEntered(lease, n))
    // Those which a failed test leaves behind are refused when its clients close.
    pass.catch(() => undefined)
    passes.push(pass)
    await inRedis.untilQueued(queued + n + 1)
  }
  return passes
}
