import type { LatchInfo, LockInfo, SemaphoreInfo } from '@holdfast/core'
import type { DashboardSource } from '../source.js'
import type { LockContent } from '../shared/payloads.js'
import type { ObjectType } from '../shared/views.js'
import { ownerWith, processOf } from './process-of.js'

/** What `inspect()` of any object returns, in one form. */
export type LockReading = Pick<
  LockContent,
  'holders' | 'holderCount' | 'waiters' | 'waiterCount' | 'fencingToken' | 'size' | 'left'
>

type Objects = Pick<DashboardSource, 'getLock' | 'getReadWriteLock' | 'getSemaphore' | 'getCountDownLatch'>

/** What reads an object. Throws if there can be none of that name, which is not a fault of the store. */
export function lockReader(objects: Objects, object: ObjectType, name: string): () => Promise<LockReading> {
  switch (object) {
    case 'lock': {
      const lock = objects.getLock(name)
      return async () => fromLock(await lock.inspect())
    }
    case 'read-write-lock': {
      // Both sides show the holders and the queue of both.
      const { write } = objects.getReadWriteLock(name)
      return async () => fromLock(await write.inspect())
    }
    case 'semaphore': {
      // How many permits there are in all only those know that use the semaphore: this number is a stand-in, and not shown.
      const semaphore = objects.getSemaphore(name, { permits: 1 })
      return async () => fromSemaphore(await semaphore.inspect())
    }
    case 'latch': {
      const latch = objects.getCountDownLatch(name)
      return async () => fromLatch(await latch.inspect())
    }
  }
}

const fromLock = (info: LockInfo): LockReading => ({
  holders: info.holders.map(({ owner, client, kind, holdCount, heldMs, remainingMs }) => ({
    ...ownerWith(owner, client),
    kind,
    holdCount,
    permits: 1,
    heldMs,
    remainingMs,
  })),
  holderCount: info.holderCount,
  waiters: info.waiters.map(({ owner, client, kind, waitedMs }) => ({
    ...ownerWith(owner, client),
    kind,
    permits: 1,
    waitedMs,
  })),
  waiterCount: info.waiterCount,
  fencingToken: info.fencingToken,
  size: null,
  left: null,
})

const fromSemaphore = (info: SemaphoreInfo): LockReading => ({
  holders: info.holders.map(({ owner, client, permits, heldMs, remainingMs }) => ({
    ...ownerWith(owner, client),
    kind: 'semaphore',
    holdCount: 1,
    permits,
    heldMs,
    remainingMs,
  })),
  holderCount: info.holderCount,
  waiters: info.waiters.map(({ owner, client, permits, waitedMs }) => ({
    ...ownerWith(owner, client),
    kind: 'semaphore',
    permits,
    waitedMs,
  })),
  waiterCount: info.waiterCount,
  fencingToken: 0,
  size: null,
  left: null,
})

const fromLatch = (info: LatchInfo): LockReading => ({
  holders: [],
  holderCount: 0,
  waiters: info.waiters.map(({ clientId, client }) => ({
    owner: clientId,
    process: processOf(clientId, client),
    kind: 'latch',
    permits: 1,
    waitedMs: null,
  })),
  waiterCount: info.waiterCount,
  fencingToken: 0,
  size: info.isSet ? info.count : null,
  left: info.isSet ? info.left : null,
})
