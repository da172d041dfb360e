import { clientOf } from '../redis/keys.js'
import type { Inspection } from '../redis/commands.js'
import type { ClientInfo, Registry } from '../redis/registry.js'

/** One owner, and the process it belongs to if that said so lately. */
export interface OwnerInfo {
  /** `<clientId>:<n>` */
  readonly owner: string
  /** `null` when the client said nothing for a while. */
  readonly client: ClientInfo | null
}

/** What `inspect()` tells. */
export interface LockInfo {
  /** The name given to `getLock`. */
  readonly name: string
  /** Whether anybody holds it. */
  readonly isLocked: boolean
  /** Who holds it, how often entered, and for how long Redis keeps it unless renewed; `null` when free. */
  readonly holder: (OwnerInfo & { readonly holdCount: number; readonly remainingMs: number }) | null
  /** The last fencing token; 0 when it was forgotten. */
  readonly fencingToken: number
  /** How many places the queue has, stale ones included. */
  readonly waiterCount: number
  /** The first waiters in line, at most 100; `aliveMs` is how long the place stays unless refreshed. */
  readonly waiters: readonly (OwnerInfo & { readonly aliveMs: number })[]
}

/** Puts names to owners. */
export async function inspectLock(name: string, found: Inspection, registry: Registry): Promise<LockInfo> {
  const owners = [found.owner, ...found.waiters.map(({ owner }) => owner)].filter((owner) => owner !== '')
  const ids = [...new Set(owners.map(clientOf))]
  const clients = new Map(await Promise.all(ids.map(async (id) => [id, await registry.find(id)] as const)))
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
