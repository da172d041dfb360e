import type { ClientInfo, Inspection } from '../engine/replies.js'
import type { EngineSession } from '../engine/session.js'
import { clientOf } from '../engine/owner.js'

/** One owner, and the process it belongs to if that has registered. */
export interface OwnerInfo {
  /** `<clientId>:<n>` */
  readonly owner: string
  /** `null` when the client's registration has expired. */
  readonly client: ClientInfo | null
}

/** What `inspect()` returns. */
export interface LockInfo {
  /** The name given to `getLock`. */
  readonly name: string
  /** Whether any owner holds it. */
  readonly isLocked: boolean
  /** Who holds it, how often entered, and for how long the store keeps it unless renewed; `null` when free. */
  readonly holder: (OwnerInfo & { readonly holdCount: number; readonly remainingMs: number }) | null
  /** The last fencing token; 0 when it is not known. */
  readonly fencingToken: number
  /** How many entries the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100; `aliveMs` is how long the entry stays unless refreshed. */
  readonly waiters: readonly (OwnerInfo & { readonly aliveMs: number })[]
}

/** Adds to each owner the process that it belongs to. */
export async function describeLock(
  name: string,
  found: Inspection,
  session: Pick<EngineSession, 'find'>,
): Promise<LockInfo> {
  const owners = [found.owner, ...found.waiters.map(({ owner }) => owner)].filter((owner) => owner !== '')
  const ids = [...new Set(owners.map(clientOf))]
  const clients = new Map(await Promise.all(ids.map(async (id) => [id, await session.find(id)] as const)))
  const who = (owner: string): OwnerInfo => ({ owner, client: clients.get(clientOf(owner)) ?? null })
  return {
    name,
    isLocked: found.owner !== '',
    holder:
      found.owner === ''
        ? null
        : { ...who(found.owner), holdCount: found.count, remainingMs: Math.max(0, found.ttlMs) },
    fencingToken: found.token,
    waiterCount: found.waiterCount,
    waiters: found.waiters.map(({ owner, aliveMs }) => ({ ...who(owner), aliveMs })),
  }
}
