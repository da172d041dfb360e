import type { StoreName } from './topologies.js'

/** What the calls of a schedule compete for. */
export const objectNames = [
  'lock',
  'read-write-lock',
  'semaphore',
  'latch',
  'multi-lock',
  'quorum',
  /** Locks that are handed over, or kept for a least time. */
  'hand-over',
] as const
export type ObjectName = (typeof objectNames)[number]

export function isObjectName(name: string): name is ObjectName {
  return objectNames.some((known) => known === name)
}

/** Those of the objects that each store has, of which schedules are drawn. */
export const objectsOf: Readonly<Record<StoreName, readonly ObjectName[]>> = {
  redis: objectNames,
  postgres: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock', 'hand-over'],
  session: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock'],
  document: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock', 'hand-over'],
}

/** How many permits a semaphore has. */
export const semaphoreSize = 4

/** How many permits each has in all; a writer takes all of them. That of a lock goes without saying. */
export const sizeOf: Readonly<Partial<Record<ObjectName, number>>> & { readonly 'read-write-lock': number } =
  {
    'read-write-lock': 1_000_000_000,
    semaphore: semaphoreSize,
  }

/** Whether several may hold it at once. */
export const isShared = (object: ObjectName): boolean => sizeOf[object] !== undefined

/** The Redis keys of one object, all in one slot. */
export interface ObjectKeys {
  /** Who holds. */
  readonly main: string
  readonly queue: string
  readonly waiters: string
  readonly fence: string
  /** Of objects that several hold at once. */
  readonly shared?: { readonly ends: string; readonly size: string }
  /** Of latches. */
  readonly latch?: { readonly counted: string }
}

/** Those that are locks at each server have none. */
const suffixOf: Readonly<Partial<Record<ObjectName, string>>> = {
  'read-write-lock': ':rw',
  semaphore: ':semaphore',
  latch: ':latch',
}

/** As docs/internals/protocol.md has them. */
export function keysOf(object: ObjectName, name: string): ObjectKeys {
  const tagged = `{lock:${name}}`
  const suffix = suffixOf[object]
  if (suffix === undefined) return { main: `lock:${name}`, ...queueKeys(tagged) }
  const main = tagged + suffix
  const keys = { main, ...queueKeys(main) }
  if (object === 'latch') return { ...keys, latch: { counted: `${main}:counted` } }
  return { ...keys, shared: { ends: `${main}:ends`, size: `${main}:size` } }
}

function queueKeys(base: string): Pick<ObjectKeys, 'queue' | 'waiters' | 'fence'> {
  return { queue: `${base}:fifo`, waiters: `${base}:waiters`, fence: `${base}:fence` }
}
