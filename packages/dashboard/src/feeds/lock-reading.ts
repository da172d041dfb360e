import type { ClientReport, LatchInfo, LockInfo, SemaphoreInfo } from '@holdfast/core'
import { clientOf } from '@holdfast/core/engine'
import type { DashboardSource } from '../source.js'
import type { LockContent } from '../shared/payloads.js'
import type { ObjectType } from '../shared/views.js'
import { permitsIn } from './permits.js'
import { ownerWith, processOf } from './process-of.js'

/** What `inspect()` of any object returns, in one form, with what only the clients know that use it. */
export type LockReading = Pick<
  LockContent,
  'holders' | 'holderCount' | 'waiters' | 'waiterCount' | 'fencingToken' | 'semaphore' | 'parties'
>

type Source = Pick<
  DashboardSource,
  'getLock' | 'getReadWriteLock' | 'getSemaphore' | 'getCountDownLatch' | 'clientReports'
>

/** A page does not wait for clients that are frozen. */
const reportsWithinMs = 250
const mostReported = 1_000
/** As many as a semaphore can have, so hardly one that a resize has set. */
const standIn = 999_999_999

/** What reads an object. Throws if there can be none of that name, which is not a fault of the store. */
export function lockReader(source: Source, object: ObjectType, name: string): () => Promise<LockReading> {
  switch (object) {
    case 'lock': {
      const lock = source.getLock(name)
      const tokens = new Tokens(source, name)
      return async () => fromLock(await lock.inspect(), tokens)
    }
    case 'read-write-lock': {
      // Both sides show the holders and the queue of both.
      const { write } = source.getReadWriteLock(name)
      const tokens = new Tokens(source, name)
      return async () => fromLock(await write.inspect(), tokens)
    }
    case 'semaphore': {
      // Unless it was resized, how many permits there are in all only those know that use the semaphore.
      const semaphore = source.getSemaphore(name, { permits: standIn })
      let known: number | null = null
      return async () => {
        const info = await semaphore.inspect()
        if (info.permits !== standIn) return fromSemaphore(info, info.permits)
        const owners = [...info.holders, ...info.waiters].map(({ owner }) => clientOf(owner))
        known = permitsIn(await reportsOf(source, name, owners)).get(name)?.all ?? known
        return fromSemaphore(info, known)
      }
    }
    case 'latch': {
      const latch = source.getCountDownLatch(name)
      return async () => {
        const info = await latch.inspect()
        const clientIds = info.waiters.map(({ clientId }) => clientId)
        return fromLatch(info, await reportsOf(source, name, clientIds))
      }
    }
  }
}

/** What these clients say about objects of that name. What the store says is worth having without it. */
async function reportsOf(
  source: Source,
  name: string,
  clientIds: readonly string[],
): Promise<ClientReport[]> {
  const asked = [...new Set(clientIds)]
  if (asked.length === 0) return []
  const call = { name, clientIds: asked, limit: mostReported, withinMs: reportsWithinMs, spreadMs: 0 }
  return source.clientReports(call).catch(() => [])
}

/**
 * The last fencing token that is known of a lock. The store keeps it for a minute, or for two leases: tokens grow without it. Of a lock that
 * is held for longer its holder knows it.
 */
class Tokens {
  readonly #source: Source
  readonly #name: string
  #last = 0
  /** The holders that said theirs. */
  #said = new Set<string>()

  constructor(source: Source, name: string) {
    this.#source = source
    this.#name = name
  }

  async last({ fencingToken, holders }: Pick<LockInfo, 'fencingToken' | 'holders'>): Promise<number> {
    this.#last = Math.max(this.#last, fencingToken)
    const owners = holders.map(({ owner }) => owner)
    this.#said = new Set(owners.filter((owner) => fencingToken > 0 || this.#said.has(owner)))
    const silent = owners.filter((owner) => !this.#said.has(owner))
    for (const { holds } of await reportsOf(this.#source, this.#name, silent.map(clientOf))) {
      for (const hold of holds) {
        if (!silent.includes(hold.owner)) continue
        this.#said.add(hold.owner)
        this.#last = Math.max(this.#last, hold.fencingToken)
      }
    }
    return this.#last
  }
}

const fromLock = async (info: LockInfo, tokens: Tokens): Promise<LockReading> => ({
  holders: info.holders.map(({ owner, client, kind, holdCount, heldMs, remainingMs }) => ({
    ...ownerWith(owner, client),
    kind,
    holdCount,
    permits: 1,
    heldMs,
    remainingMs,
  })),
  holderCount: info.holderCount,
  waiters: info.waiters.map(({ owner, client, kind, waitedMs }) => ({
    ...ownerWith(owner, client),
    kind,
    permits: 1,
    waitedMs,
  })),
  waiterCount: info.waiterCount,
  fencingToken: await tokens.last(info),
  semaphore: null,
  parties: null,
})

function fromSemaphore(info: SemaphoreInfo, all: number | null): LockReading {
  const { holders, holderCount, permits, available } = info
  const areAll = holders.length === holderCount
  return {
    holders: holders.map(({ owner, client, permits: held, heldMs, remainingMs }) => ({
      ...ownerWith(owner, client),
      kind: 'semaphore',
      holdCount: 1,
      permits: held,
      heldMs,
      remainingMs,
    })),
    holderCount,
    waiters: info.waiters.map(({ owner, client, permits: wanted, waitedMs }) => ({
      ...ownerWith(owner, client),
      kind: 'semaphore',
      permits: wanted,
      waitedMs,
    })),
    waiterCount: info.waiterCount,
    fencingToken: 0,
    semaphore: {
      // More than there are may be taken after a resize.
      taken: areAll ? holders.reduce((sum, holder) => sum + holder.permits, 0) : permits - available,
      all,
      owners: holderCount,
    },
    parties: null,
  }
}

function fromLatch(info: LatchInfo, reports: readonly ClientReport[]): LockReading {
  const waits = reports.flatMap(({ clientId, queue }) =>
    queue.filter(({ kind }) => kind === 'latch').map(({ waitedMs }) => ({ clientId, waitedMs })),
  )
  const longestOf = (id: string): number | null =>
    waits.reduce<number | null>(
      (longest, { clientId, waitedMs }) => (clientId === id ? Math.max(longest ?? 0, waitedMs) : longest),
      null,
    )
  return {
    holders: [],
    holderCount: 0,
    waiters: info.waiters.map(({ clientId, client }) => ({
      owner: clientId,
      process: processOf(clientId, client),
      kind: 'latch',
      permits: 1,
      waitedMs: longestOf(clientId),
    })),
    waiterCount: info.waiterCount,
    fencingToken: 0,
    semaphore: null,
    parties: info.isSet ? { all: info.count, left: info.left, counted: info.parties } : null,
  }
}
