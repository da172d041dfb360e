import type { Inspection, SharedInspection } from '../engine/replies.js'
import type { Address } from '../engine/requests.js'
import { findReports, findClients } from './inspection.js'
import type { InspectionDeps, OwnerInfo, WaiterInfo } from './inspection.js'

/** One holder of permits. */
export interface PermitHolderInfo extends OwnerInfo {
  /** How many it holds. */
  readonly permits: number
  /** For how long the store keeps the hold unless renewed, milliseconds. */
  readonly remainingMs: number
  /** Since the grant, by the holder's own clock, milliseconds; `null` if its client did not say so within 250 ms. */
  readonly heldMs: number | null
}

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
  readonly holders: readonly PermitHolderInfo[]
  readonly holderCount: number
  /** How many entries the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100. */
  readonly waiters: readonly (WaiterInfo & { readonly permits: number })[]
}

/** @param size - the permits in all, unless the semaphore was resized */
export async function describeSemaphore(
  address: Address,
  size: number,
  found: Inspection | SharedInspection,
  deps: InspectionDeps,
): Promise<SemaphoreInfo> {
  if (found.kind === 'lock') throw new TypeError('a semaphore was inspected as a lock')
  const { holders, holderCount, waiterCount, waiters, used, free } = found
  const owners = [...holders, ...waiters]
  const who = await findClients(owners, deps.registry)
  const reportOf = await findReports(
    address,
    owners.map(({ owner }) => who(owner)),
    deps,
  )
  const permits = found.version > 0 ? found.size : size
  return {
    name: address.name,
    kind: 'semaphore',
    permits,
    available: Math.max(0, free ?? permits - used),
    holders: holders.map(({ owner, permits: held, ttlMs }) => {
      return {
        ...who(owner),
        permits: held,
        remainingMs: Math.max(0, ttlMs),
        heldMs: reportOf(owner)?.ageMs ?? null,
      }
    }),
    holderCount,
    waiterCount,
    waiters: waiters.map(({ owner, permits: wanted, aliveMs }) => {
      return { ...who(owner), permits: wanted, aliveMs, waitedMs: reportOf(owner)?.ageMs ?? null }
    }),
  }
}
