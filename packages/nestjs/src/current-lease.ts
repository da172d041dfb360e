import { AsyncLocalStorage } from 'node:async_hooks'
import { HoldfastError, type Lease, type Lock } from '@holdfast/core'

interface Current {
  readonly lease: Lease
  readonly lock: Lock
}

const currents = new AsyncLocalStorage<Current>()

/**
 * The lease of the innermost method with `@WithLock` around this call, for its `signal`, `assertHeld()` and `fencingToken`. A lease
 * that was lost is returned, too: it says so itself.
 *
 * It follows the async context. Work that a queue, a pool or a batcher starts may run in the context of another caller: take the lease
 * before, and hand it over.
 *
 * @throws `HoldfastError` outside such a method, and where `holdfast.bind` or `detached` says that the work belongs to another context
 */
export function currentLease(): Lease {
  const current = currents.getStore()
  if (current && !isOfAnother(current)) return current.lease
  throw new HoldfastError(
    'currentLease() was called outside a method with @WithLock; call it in the method, or in what the method awaits',
  )
}

/** Whether the lease is held, but not by the context that core knows. */
const isOfAnother = ({ lease, lock }: Current): boolean => lease.isHeld && !lock.isHeld()

/** Runs code that finds this lease. */
export const withCurrentLease = <T>(lease: Lease, lock: Lock, fn: () => T): T =>
  currents.run({ lease, lock }, fn)
