import {
  clientOf,
  isHandedOver,
  isKept,
  titleFrom,
  writePermits,
  type ClientInfo,
  type Inspection,
  type SharedInspection,
  type ObjectKind,
  type Target,
} from '../engine/requests.js'
import { notALock, toHoldfastError } from '../errors/errors.js'
import type { Home } from './entrance.js'

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

/** What the store knows of an object, in one form for all kinds. A lock has one permit, and a read/write lock many. */
export interface Found {
  readonly holders: readonly {
    readonly owner: string
    readonly kind: ObjectKind
    readonly count: number
    readonly permits: number
    readonly ttlMs: number
  }[]
  readonly holderCount: number
  readonly token: number
  readonly waiterCount: number
  readonly waiters: readonly {
    readonly owner: string
    readonly kind: ObjectKind
    readonly permits: number
    readonly aliveMs: number
  }[]
  /** Of an object that has permits. */
  readonly shared?: SharedInspection
}

/** @param kind - of the object, or either side of a read/write lock */
export function foundIn(reply: Inspection | SharedInspection, kind: ObjectKind): Found {
  const { token, waiterCount } = reply
  if (reply.kind === 'lock') {
    const { owner, count, ttlMs } = reply
    const holders = owner === '' ? [] : [{ owner, kind, count, permits: 1, ttlMs }]
    const waiters = reply.waiters.map((waiter) => ({ ...waiter, kind, permits: 1 }))
    return { holders, holderCount: holders.length, token, waiterCount, waiters }
  }
  const kindOf = (permits: number): ObjectKind => (kind === 'semaphore' ? kind : sideOf(permits))
  const holders = reply.holders.map((each) => ({ ...each, kind: kindOf(each.permits), count: 1 }))
  const waiters = reply.waiters.map((each) => ({ ...each, kind: kindOf(each.permits) }))
  return { holders, holderCount: reply.holderCount, token, waiterCount, waiters, shared: reply }
}

const sideOf = (permits: number): 'read-lock' | 'write-lock' =>
  permits < writePermits ? 'read-lock' : 'write-lock'

type Place = Pick<Target, 'address' | 'kind'>

/** Sends a command of an object to a store that is ready for it. Errors name the object. */
export async function sendOf<T>(home: Home, { address, kind }: Place, send: () => Promise<T>): Promise<T> {
  try {
    await home.readiness.ready(address)
    return await send()
  } catch (error) {
    throw toHoldfastError(error, { lockName: address.name, title: titleFrom(kind, address.name) })
  }
}

/** @param limit - how many holders and how many waiters to list */
export async function find(home: Home, place: Place, limit: number): Promise<Found> {
  const { address, kind } = place
  const reply = await sendOf(home, place, () => home.steps.inspect(address, limit))
  if (reply.kind === 'not-a-lock') throw notALock(address, reply)
  return foundIn(reply, kind)
}

/** @returns whether that owner held the object */
export async function evict(
  home: Home,
  place: Place,
  owner: string,
  by: string | undefined,
): Promise<boolean> {
  const { address } = place
  if (by !== undefined) await sendOf(home, place, async () => home.operations?.announce(address, owner, by))
  const reply = await sendOf(home, place, () => home.steps.force(address, owner))
  if (reply.kind === 'not-a-lock') throw notALock(address, reply)
  if (reply.kind === 'released') home.holds.find(owner)?.lose('revoked')
  return reply.kind === 'released'
}

/** Adds to each owner the process that it belongs to, and how long it has held or waited. */
export async function describe({ address }: Place, found: Found, home: Home) {
  const owners = [...found.holders, ...found.waiters].map(({ owner }) => owner)
  const ids = [...new Set(owners.map(clientOf))]
  const clients = new Map(
    await Promise.all(ids.map(async (id) => [id, await home.registry.find(id)] as const)),
  )
  const who = (owner: string): OwnerInfo => ({ owner, client: clients.get(clientOf(owner)) ?? null })
  // One that is not registered would not reply.
  const asked = owners.filter((owner) => who(owner).client !== null)
  const reportOf = asked.length > 0 ? await home.operations?.reportsOf(address, asked) : undefined
  return {
    name: address.name,
    holders: found.holders.map(({ owner, ttlMs, ...held }) => {
      const report = reportOf?.(owner)
      const times = { remainingMs: Math.max(0, ttlMs), heldMs: report?.ageMs ?? null }
      const unattended = isHandedOver(owner) ? ('handed-over' as const) : ('kept' as const)
      const info = { ...who(owner), ...times, ...(isKept(owner) && { unattended }) }
      return { ...held, token: report?.fencingToken ?? 0, info }
    }),
    holderCount: found.holderCount,
    waiterCount: found.waiterCount,
    waiters: found.waiters.map(({ owner, kind, permits, aliveMs }) => {
      const info = { ...who(owner), aliveMs, waitedMs: reportOf?.(owner)?.ageMs ?? null }
      return { kind, permits, info }
    }),
  }
}

export async function describeLock(place: Place, found: Found, home: Home): Promise<LockInfo> {
  const { name, holderCount, waiterCount, ...described } = await describe(place, found, home)
  const holders = described.holders.map(({ kind, count, info }) => ({ ...info, kind, holdCount: count }))
  return {
    name,
    kind: place.kind,
    isLocked: holders.some((holder) => holder.kind === place.kind),
    holder: holders[0] ?? null,
    holders,
    holderCount,
    fencingToken: found.token || Math.max(0, ...described.holders.map(({ token }) => token)),
    waiterCount,
    waiters: described.waiters.map(({ kind, info }) => ({ ...info, kind })),
  }
}
