import type { AcquireRequest, ReleaseRequest, ResizeRequest } from '../../../src/engine/requests.js'
import { ownerName, times, type Job } from '../job.js'
import { at, type Shared } from '../state.js'

/** What the steps are called with, whatever the engine. */

export const acquireRequest = ({ size, wants }: Shared, { owner, step }: Job): AcquireRequest => ({
  owner: ownerName(owner),
  count: at(wants, owner),
  size,
  leaseMs: times.leaseMs,
  entryTtlMs: step === 'request' ? times.entryTtlMs(owner) : 0,
  grantLeaseMs: times.leaseMs,
  proof: 'p',
  wantsToken: true,
})

export const releaseRequest = ({ owner, step }: Job): ReleaseRequest => ({
  owner: ownerName(owner),
  count: Number(/^lower to (\d+)$/.exec(step)?.[1] ?? 0),
  tombstoneMs: step === 'abandon' ? times.tombstoneMs : 0,
})

/** `null` when the step is not a resize. The version and the id of the size before are those of `restoredSize`. */
export function resizeRequest({ step, store }: Job): ResizeRequest | null {
  const size = /^resize to (\d+)$/.exec(step)?.[1]
  if (size === undefined) return null
  const version = store.size === null ? 0 : restoredSize.version
  return { size: Number(size), keepMs: times.restoredLeaseMs, version, id: 'this resize' }
}

/** Of the size that an object has when a job starts. */
export const restoredSize = { version: 1, id: 'an earlier resize' } as const
