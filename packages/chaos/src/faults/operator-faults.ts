import { Holdfast, RefusedError } from '@holdfast/core'
import { templateOf } from '../template.js'
import type { FaultKind } from './fault-kind.js'
import { pickCyclic } from '../pick-cyclic.js'

/** An operator forces the lock open. */
const forceUnlock: FaultKind = {
  // It may evict a holder that was granted the lock a moment ago and now has to queue again.
  disturbs: 'all',
  // The notification reaches the evicted holder after the lock was granted to the next one.
  excuses: ['exclusion'],
  hitsOneLock: true,
  async inject({ testbed, locks }, { target }) {
    const redis = templateOf(
      pickCyclic(testbed.topology.templates(testbed.operatorProxies), target % locks.length),
    )
    const holdfast = new Holdfast({ ...testbed.options, redis })
    holdfast.on('error', () => undefined)
    try {
      return (await holdfast.getLock(pickCyclic(locks, target)).forceUnlock()) ? 'over' : 'missed'
    } catch (error) {
      // Without a reply, the lock may have been forced.
      return error instanceof RefusedError ? 'missed' : 'over'
    } finally {
      await holdfast.close()
      redis.disconnect()
    }
  },
}

export const operatorFaults = { forceUnlock } satisfies Record<string, FaultKind>
