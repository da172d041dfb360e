import { RefusedError } from '@holdfast/core'
import { evict } from '../evict.js'
import { openClients } from '../open-clients.js'
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

export const operatorFaults = { forceUnlock } satisfies Record<string, FaultKind>
