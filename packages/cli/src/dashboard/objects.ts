import {
  isHoldfastError,
  type ClientInfo,
  type LatchInfo,
  type LockInfo,
  type ObjectKind,
  type ObjectType,
  type SemaphoreInfo,
} from '@holdfast/core'
import { clientOf, isHandedOver, isKept } from '@holdfast/core/engine'
import type { Details, Listing, Owner, Process, Row } from './shared/payloads.js'
import type { DashboardSource } from './source.js'

/** All pages share a listing for so long. */
const sharedMs = 1_000
/** And for so long for each client: to ask them all takes 5 % of a core at the store then. */
const sharedMsPerClient = 4
/** A page does not wait for clients that are frozen. */
const reportsWithinMs = 500
const mostRows = 500

const objectsByKind: Readonly<Record<ObjectKind, ObjectType>> = {
  lock: 'lock',
  'read-lock': 'read-write-lock',
  'write-lock': 'read-write-lock',
  semaphore: 'semaphore',
  latch: 'latch',
}

const processOf = (clientId: string, client: ClientInfo | null | undefined): Process => ({
  clientId,
  host: client?.host ?? '',
  pid: client?.pid ?? 0,
  label: client?.label ?? '',
})

const ownerWith = (owner: string, client: ClientInfo | null | undefined): Owner => ({
  owner,
  unattended: isHandedOver(owner) ? 'handed-over' : isKept(owner) ? 'kept' : null,
  process: processOf(clientOf(owner), client),
})

/** Reads what is held and waited for in one store. */
export class Objects {
  readonly #source: DashboardSource
  #listing: { readonly listed: Promise<Listing>; untilMs: number } | undefined

  constructor(source: DashboardSource) {
    this.#source = source
  }

  /** What connected clients hold and wait for. Asked for once a second at most, or less often for many clients; all pages share the reply. */
  list(): Promise<Listing> {
    const known = this.#listing
    if (known && performance.now() < known.untilMs) return known.listed
    const listed = this.#ask()
    const listing = { listed, untilMs: Infinity }
    this.#listing = listing
    listed.then(
      ({ clients }) =>
        (listing.untilMs = performance.now() + Math.max(sharedMs, sharedMsPerClient * clients)),
      // An outage is looked at no more often.
      () => (listing.untilMs = performance.now() + sharedMs),
    )
    return listed
  }

  async #ask(): Promise<Listing> {
    const connected = await this.#source.clients()
    const byId = new Map(connected.map(({ clientId, client }) => [clientId, client]))
    const call = { clientIds: [...byId.keys()], withinMs: reportsWithinMs }
    const reports = await this.#source.clientReports(call)
    const rows = new Map<string, Row>()
    const change = (name: string, kind: ObjectKind, to: (row: Row) => Row): void => {
      const object = objectsByKind[kind]
      const key = `${object} ${name}`
      rows.set(key, to(rows.get(key) ?? { name, object, ...unused }))
    }
    for (const { holds, client } of reports)
      for (const { name, kind, owner, heldMs, remainingMs } of holds)
        change(name, kind, (row) => {
          const holderCount = row.holderCount + 1
          if (row.heldMs !== null && row.heldMs >= heldMs) return { ...row, holderCount }
          return { ...row, holderCount, holder: ownerWith(owner, client), heldMs, remainingMs }
        })
    for (const { queue } of reports)
      for (const { name, kind, holder, waitedMs } of queue)
        change(name, kind, (row) => ({
          ...row,
          // Its client may be silent. What a waiter remembers is from its last reply, and better than nothing.
          holder: row.holder ?? (holder === '' ? null : ownerWith(holder, byId.get(clientOf(holder)))),
          waiterCount: row.waiterCount + 1,
          longestWaitMs: Math.max(row.longestWaitMs, waitedMs),
        }))
    const all = [...rows.values()].sort(
      (a, b) => b.waiterCount - a.waiterCount || (b.heldMs ?? 0) - (a.heldMs ?? 0),
    )
    return {
      rows: all.slice(0, mostRows),
      count: all.length,
      clients: connected.length,
      silent: connected.length - reports.length,
      isPartial: reports.some(
        ({ holdCount, holds, waiterCount, queue }) => holdCount > holds.length || waiterCount > queue.length,
      ),
    }
  }

  /** All objects of a name that are in use, as the store has them; the lock if there is none. Throws for a name that none can have. */
  async read(name: string): Promise<Details[]> {
    const { traits } = this.#source
    const { kinds = [] } = traits
    const readings = [
      this.#source
        .getLock(name)
        .inspect()
        .then((info) => fromLock('lock', info)),
    ]
    if (kinds.includes('shared')) {
      const { write } = this.#source.getReadWriteLock(name)
      readings.push(
        write.inspect().then((info) => fromLock('read-write-lock', info)),
        // How many permits it has in all only its users know.
        this.#source.getSemaphore(name, { permits: 1 }).inspect().then(fromSemaphore),
      )
    }
    if (kinds.includes('latch')) readings.push(this.#source.getCountDownLatch(name).inspect().then(fromLatch))
    const [lock, ...others] = await Promise.allSettled(readings)
    const found = [lock, ...others].flatMap((reading) => {
      if (reading?.status === 'fulfilled') return [reading.value]
      // A user of Redis may be allowed some objects only, and data of another kind may be under the key of one.
      if (!isHoldfastError(reading?.reason)) throw reading?.reason
      if (reading.reason.code !== 'REFUSED' && reading.reason.code !== 'NOT_A_LOCK') throw reading.reason
      return []
    })
    const inUse = found.filter(
      ({ holderCount, waiterCount, parties }) => holderCount + waiterCount > 0 || parties !== null,
    )
    if (inUse.length > 0) return inUse
    if (lock?.status === 'rejected') throw lock.reason
    return found.slice(0, 1)
  }
}

const unused = {
  holder: null,
  holderCount: 0,
  heldMs: null,
  remainingMs: null,
  waiterCount: 0,
  longestWaitMs: 0,
} as const

const fromLock = (object: 'lock' | 'read-write-lock', info: LockInfo): Details => ({
  object,
  holders: info.holders.map(({ owner, client, kind, holdCount, heldMs, remainingMs }) => ({
    ...ownerWith(owner, client),
    ...{ kind, holdCount, permits: 1, heldMs, remainingMs },
  })),
  holderCount: info.holderCount,
  waiters: info.waiters.map(({ owner, client, kind, waitedMs }) => ({
    ...ownerWith(owner, client),
    ...{ kind, permits: 1, waitedMs },
  })),
  waiterCount: info.waiterCount,
  fencingToken: info.fencingToken,
  parties: null,
})

const fromSemaphore = (info: SemaphoreInfo): Details => ({
  object: 'semaphore',
  holders: info.holders.map(({ owner, client, permits, heldMs, remainingMs }) => ({
    ...ownerWith(owner, client),
    ...{ kind: 'semaphore' as const, holdCount: 1, permits, heldMs, remainingMs },
  })),
  holderCount: info.holderCount,
  waiters: info.waiters.map(({ owner, client, permits, waitedMs }) => ({
    ...ownerWith(owner, client),
    ...{ kind: 'semaphore' as const, permits, waitedMs },
  })),
  waiterCount: info.waiterCount,
  fencingToken: 0,
  parties: null,
})

const fromLatch = (info: LatchInfo): Details => ({
  object: 'latch',
  holders: [],
  holderCount: 0,
  waiters: info.waiters.map(({ clientId, client }) => ({
    owner: clientId,
    unattended: null,
    process: processOf(clientId, client),
    ...{ kind: 'latch' as const, permits: 1, waitedMs: null },
  })),
  waiterCount: info.waiterCount,
  fencingToken: 0,
  parties: info.isSet ? { all: info.count, left: info.left } : null,
})
