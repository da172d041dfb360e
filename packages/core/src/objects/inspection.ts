import type { ClientInfo, Inspection, SharedInspection } from '../engine/replies.js'
import { clientOf, isHandedOver, isKept, writePermits } from '../engine/requests.js'
import type { Address, ObjectKind, Target } from '../engine/requests.js'
import type { OwnerReports } from '../operating/operations.js'
import type { Home } from './home.js'

/** One owner, and the process it belongs to if that has registered. */
export interface OwnerInfo {
  /** `<clientId>:<n>` */
  readonly owner: string
  /** `null` when the client's registration has expired. */
  readonly client: ClientInfo | null
}

/** One holder of a lock, or of one side of a read/write lock. */
export interface HolderInfo extends OwnerInfo {
  readonly kind: ObjectKind
  /** How often entered. Of a read/write lock the store knows one entry per owner. */
  readonly holdCount: number
  /** For how long the store keeps the hold unless renewed, milliseconds. */
  readonly remainingMs: number
  /**
   * Set when no client holds the lock: it is `kept` until `atLeastMs` are over, or `handed-over` and not yet taken over. `client` is the one that
   * released it or handed it over.
   */
  readonly unattended?: 'kept' | 'handed-over'
  /** Since the grant, by the holder's own clock, milliseconds; `null` if its client did not say so within 250 ms. */
  readonly heldMs: number | null
}

/** One owner that waits. */
export interface WaiterInfo extends OwnerInfo {
  /** How long its queue entry stays unless refreshed, milliseconds. */
  readonly aliveMs: number
  /** Since the call, by the waiter's own clock, milliseconds; `null` if its client did not say so within 250 ms. */
  readonly waitedMs: number | null
}

/** What `inspect()` of a lock returns. Both sides of a read/write lock show the same, except for `kind` and `isLocked`. */
export interface LockInfo {
  /** The name given to `getLock`. */
  readonly name: string
  readonly kind: ObjectKind
  /** Whether any owner holds the lock, or this side of a read/write lock. */
  readonly isLocked: boolean
  /** The holder, or of several readers the one whose hold ends first; `null` when free. */
  readonly holder: HolderInfo | null
  /** All holders, at most 100; more than one only of a read lock. */
  readonly holders: readonly HolderInfo[]
  readonly holderCount: number
  /**
   * The last fencing token. The store may forget it a minute after the grant, or two leases if that is longer; then it is the
   * largest that a holder's client reports. 0 when neither says.
   */
  readonly fencingToken: number
  /** How many entries the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100. */
  readonly waiters: readonly (WaiterInfo & { readonly kind: ObjectKind })[]
}

/** What the store knows of a lock, in one form for both kinds of it. */
export interface FoundLock extends Pick<Inspection, 'token' | 'waiterCount'> {
  readonly holders: readonly {
    readonly owner: string
    readonly kind: ObjectKind
    readonly count: number
    readonly ttlMs: number
  }[]
  readonly holderCount: number
  readonly waiters: readonly { readonly owner: string; readonly kind: ObjectKind; readonly aliveMs: number }[]
}

export function foundLock(reply: Inspection | SharedInspection): FoundLock {
  const { token, waiterCount } = reply
  if (reply.kind === 'lock') {
    const { owner, count, ttlMs } = reply
    const holders = owner === '' ? [] : [{ owner, kind: 'lock' as const, count, ttlMs }]
    const waiters = reply.waiters.map((waiter) => ({ ...waiter, kind: 'lock' as const }))
    return { holders, holderCount: holders.length, token, waiterCount, waiters }
  }
  const holders = reply.holders.map(({ owner, permits, ttlMs }) => {
    return { owner, kind: sideOf(permits), count: 1, ttlMs }
  })
  const waiters = reply.waiters.map(({ owner, permits, aliveMs }) => {
    return { owner, kind: sideOf(permits), aliveMs }
  })
  return { holders, holderCount: reply.holderCount, token, waiterCount, waiters }
}

/** Adds to each owner the process that it belongs to, and how long it has held or waited. */
export async function describeLock(
  { address, kind }: Target,
  found: FoundLock,
  home: Home,
): Promise<LockInfo> {
  const owners = [...found.holders, ...found.waiters]
  const who = await findClients(owners, home)
  const reportOf = await findReports(
    address,
    owners.map(({ owner }) => who(owner)),
    home,
  )
  const holders = found.holders.map(({ owner, kind: held, count, ttlMs }) => {
    return {
      ...who(owner),
      kind: held,
      holdCount: count,
      remainingMs: Math.max(0, ttlMs),
      ...(isKept(owner) && {
        unattended: isHandedOver(owner) ? ('handed-over' as const) : ('kept' as const),
      }),
      heldMs: reportOf(owner)?.ageMs ?? null,
    }
  })
  return {
    name: address.name,
    kind,
    isLocked: holders.some((holder) => holder.kind === kind),
    holder: holders[0] ?? null,
    holders,
    holderCount: found.holderCount,
    fencingToken:
      found.token || Math.max(0, ...holders.map(({ owner }) => reportOf(owner)?.fencingToken ?? 0)),
    waiterCount: found.waiterCount,
    waiters: found.waiters.map(({ owner, kind: wanted, aliveMs }) => ({
      ...who(owner),
      kind: wanted,
      aliveMs,
      waitedMs: reportOf(owner)?.ageMs ?? null,
    })),
  }
}

/** Looks up the process of each owner. */
export async function findClients(
  owners: readonly { readonly owner: string }[],
  { registry }: Home,
): Promise<(owner: string) => OwnerInfo> {
  const ids = [...new Set(owners.map(({ owner }) => clientOf(owner)))]
  const clients = new Map(await Promise.all(ids.map(async (id) => [id, await registry.find(id)] as const)))
  return (owner) => ({ owner, client: clients.get(clientOf(owner)) ?? null })
}

/** Asks the clients of these owners what they know of them. One that is not registered would not reply. */
export async function findReports(
  address: Address,
  owners: readonly OwnerInfo[],
  { operations }: Home,
): Promise<OwnerReports> {
  const asked = owners.filter(({ client }) => client !== null).map(({ owner }) => owner)
  return operations && asked.length > 0 ? operations.reportsOf(address, asked) : () => undefined
}

/** Which side an owner with so many permits is on. */
const sideOf = (permits: number): 'read-lock' | 'write-lock' =>
  permits < writePermits ? 'read-lock' : 'write-lock'
