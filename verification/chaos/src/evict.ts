import { HoldfastQuorum } from '@holdfast/core'
import { semaphoreSize, type ObjectName } from './objects.js'
import type { ChaosClient } from './open-clients.js'

/** Has an operator evict all holders. Resolves with whether there were any. */
export async function evict(holdfast: ChaosClient, object: ObjectName, name: string): Promise<boolean> {
  if (holdfast instanceof HoldfastQuorum) return holdfast.getLock(name).forceUnlock()
  switch (object) {
    case 'lock':
    case 'hand-over':
    case 'multi-lock':
    case 'quorum':
      return holdfast.getLock(name).forceUnlock()
    case 'latch':
      return holdfast.getCountDownLatch(name).delete()
    case 'read-write-lock': {
      const { read, write } = holdfast.getReadWriteLock(name)
      return (await write.forceUnlock()) || (await read.forceUnlock())
    }
    case 'semaphore': {
      const semaphore = holdfast.getSemaphore(name, { permits: semaphoreSize })
      const { holders } = await semaphore.inspect()
      const evicted = await Promise.all(holders.map(({ owner }) => semaphore.forceRelease(owner)))
      return evicted.includes(true)
    }
  }
}
