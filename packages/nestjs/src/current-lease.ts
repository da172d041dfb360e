import { AsyncLocalStorage } from 'node:async_hooks'
import { HoldfastError, type Lease } from '@holdfast/core'

const leases = new AsyncLocalStorage<Lease>()

/**
 * The lease of the innermost method with `@WithLock` around this call, for its `signal`, `assertHeld()` and `fencingToken`.
 *
 * It follows the async context. Work that a queue, a pool or a batcher starts may run in the context of another caller, with that caller's
 * lease: take the lease before, and hand it over.
 *
 * @throws `HoldfastError` outside such a method
 */
export function currentLease(): Lease {
  const lease = leases.getStore()
  if (lease) return lease
  throw new HoldfastError(
    'currentLease() was called outside a method with @WithLock; call it in the method, or in what the method awaits',
  )
}

/** Runs code that finds this lease. */
export const withCurrentLease = <T>(lease: Lease, fn: () => T): T => leases.run(lease, fn)
