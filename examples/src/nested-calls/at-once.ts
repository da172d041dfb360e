import type { Lock } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'

/** Starts three concurrent tasks that all take the lock. Resolves with the maximum number inside it at the same time. */
export async function maxConcurrent(lock: Lock): Promise<number> {
  let inside = 0
  let max = 0
  const task = () =>
    lock.withLock(async () => {
      inside += 1
      max = Math.max(max, inside)
      await delay(50)
      inside -= 1
    })
  await Promise.all([task(), task(), task()])
  return max
}
