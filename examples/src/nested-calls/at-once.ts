import type { Lock } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'

/** Starts three tasks together that all take the lock. Answers how many were inside it at the same time, at most. */
export async function mostAtOnce(lock: Lock): Promise<number> {
  let inside = 0
  let most = 0
  const task = () =>
    lock.withLock(async () => {
      inside += 1
      most = Math.max(most, inside)
      await delay(50)
      inside -= 1
    })
  await Promise.all([task(), task(), task()])
  return most
}
