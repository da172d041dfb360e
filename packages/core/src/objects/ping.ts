import type { Addressing } from '../engine/addressing.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { LockDeps } from './lock.js'

/** Inspects an unused name: a read that needs the same connection, scripts and rights as a lock. */
export async function ping({ steps, readiness }: LockDeps, names: Addressing): Promise<void> {
  const address = names.locate('ping', 'lock')
  try {
    await readiness.ready(address)
    await steps.inspect(address, 1)
  } catch (error) {
    throw toHoldfastError(error)
  }
}
