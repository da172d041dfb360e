import type { AcquireRequest } from '@holdfast/core/engine'

/** A first request for 30 s that queues for as long. */
export const requestOf = (owner: string, more: Partial<AcquireRequest> = {}): AcquireRequest => ({
  owner,
  count: 1,
  leaseMs: 30_000,
  entryTtlMs: 30_000,
  grantLeaseMs: 20_000,
  proof: 'p',
  wantsToken: true,
  ...more,
})
