import { Holdfast, RefusedError } from '@holdfast/core'
import { templateOf } from '../template.js'
import type { FaultKind } from './fault-kind.js'
import { pick } from '../pick.js'

/** Somebody takes the lock away from its holder by force. */
const forceUnlock: FaultKind = {
  // One that was granted a moment ago may be the victim, and queues again.
  disturbs: 'all',
  // The victim is told by a message, after the lock has gone to the next.
  excuses: ['exclusion'],
  hitsOneLock: true,
  async inject({ arena, locks }, { target }) {
    const redis = templateOf(pick(arena.topology.templates(arena.operatorLinks), target % locks.length))
    const holdfast = new Holdfast({ ...arena.options, redis })
    holdfast.on('error', () => undefined)
    try {
      return (await holdfast.getLock(pick(locks, target)).forceUnlock()) ? 'over' : 'missed'
    } catch (error) {
      // Without an answer, it may have been forced.
      return error instanceof RefusedError ? 'missed' : 'over'
    } finally {
      await holdfast.close()
      redis.disconnect()
    }
  },
}

export const operatorFaults = { forceUnlock } satisfies Record<string, FaultKind>
