import { HoldfastQuorum, RefusedError } from '@holdfast/core'
import { semaphoreSize, type ObjectName } from '../objects.js'
import { openClients, type ChaosClient } from '../open-clients.js'
import { discard, templateOf } from '../template.js'
import type { FaultKind } from './fault-kind.js'
import { pickCyclic } from '../pick-cyclic.js'

/** An operator forces the lock open, takes the permits of all holders of a semaphore, or deletes the latch. */
const forceUnlock: FaultKind = {
  // It may evict a holder that was granted the lock a moment ago and now has to queue again.
  disturbs: 'all',
  // The notification reaches the evicted holder after the lock was granted to the next one.
  excuses: ['exclusion'],
  hitsOneLock: true,
  async inject({ testbed, object, locks }, { target }) {
    const templates = await Promise.all(testbed.operatorRoute.templates.map((spec) => templateOf(spec)))
    const clients = openClients(object, templates, testbed.options)
    for (const client of clients) client.on('error', () => undefined)
    try {
      const client = pickCyclic(clients, target % locks.length)
      return (await evict(client, object, pickCyclic(locks, target))) ? 'over' : 'missed'
    } catch (error) {
      // Without a reply, the lock may have been forced.
      return error instanceof RefusedError ? 'missed' : 'over'
    } finally {
      await Promise.all(clients.map((client) => client.close()))
      templates.forEach(discard)
    }
  },
}

/** Whether any holder was evicted. */
async function evict(holdfast: ChaosClient, object: ObjectName, name: string): Promise<boolean> {
  if (holdfast instanceof HoldfastQuorum) return holdfast.getLock(name).forceUnlock()
  switch (object) {
    case 'lock':
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

export const operatorFaults = { forceUnlock } satisfies Record<string, FaultKind>
