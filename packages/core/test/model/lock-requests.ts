import type { AcquireRequest, ReleaseRequest } from '../../src/engine/requests.js'
import { ownerName, times, type Job } from './job.js'

// What the steps on a lock are called with, whatever the engine.

export const acquireRequest = ({ owner, step }: Job): AcquireRequest => ({
  owner: ownerName(owner),
  count: step === 'enter' ? 2 : 1,
  leaseMs: times.leaseMs,
  entryTtlMs: step === 'request' ? times.entryTtlMs(owner) : 0,
  grantLeaseMs: times.leaseMs,
  proof: 'p',
  wantsToken: true,
})

export const releaseRequest = ({ owner, step }: Job): ReleaseRequest => ({
  owner: ownerName(owner),
  count: step === 'leave' ? 1 : 0,
  tombstoneMs: step === 'abandon' ? times.tombstoneMs : 0,
})
