import type { Inspection, SharedInspection } from '../engine/replies.js'
import type { EngineSession } from '../engine/session.js'
import { findClients } from './inspection.js'
import type { OwnerInfo } from './inspection.js'

/** What `inspect()` of a semaphore returns. */
export interface SemaphoreInfo {
  /** The name given to `getSemaphore`. */
  readonly name: string
  readonly kind: 'semaphore'
  /** The number of permits in all: the size set by `resize`, or else the number given to `getSemaphore`. */
  readonly permits: number
  /** How many of them are free. */
  readonly available: number
  /** Who holds permits: at most 100, the one whose hold ends first unless renewed comes first. */
  readonly holders: readonly (OwnerInfo & { readonly permits: number; readonly remainingMs: number })[]
  readonly holderCount: number
  /** How many entries the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100; `aliveMs` is how long the entry stays unless refreshed. */
  readonly waiters: readonly (OwnerInfo & { readonly permits: number; readonly aliveMs: number })[]
}

/** @param size - the permits in all, unless the semaphore was resized */
export async function describeSemaphore(
  name: string,
  size: number,
  found: Inspection | SharedInspection,
  session: Pick<EngineSession, 'find'>,
): Promise<SemaphoreInfo> {
  if (found.kind === 'lock') throw new TypeError('a semaphore was inspected as a lock')
  const { holders, holderCount, waiterCount, waiters, used, free } = found
  const who = await findClients([...holders, ...waiters], session)
  const permits = found.version > 0 ? found.size : size
  return {
    name,
    kind: 'semaphore',
    permits,
    available: Math.max(0, free ?? permits - used),
    holders: holders.map(({ owner, permits: held, ttlMs }) => {
      return { ...who(owner), permits: held, remainingMs: Math.max(0, ttlMs) }
    }),
    holderCount,
    waiterCount,
    waiters: waiters.map(({ owner, permits: wanted, aliveMs }) => {
      return { ...who(owner), permits: wanted, aliveMs }
    }),
  }
}
