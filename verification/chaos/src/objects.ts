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

/** Those that are locks at each server have none. */
const suffixOf: Readonly<Partial<Record<ObjectName, string>>> = {
  'read-write-lock': ':rw',
  semaphore: ':semaphore',
  latch: ':latch',
}

/** The key in Redis that has who holds, as docs/internals/protocol.md has it. */
export function keyOf(object: ObjectName, name: string): string {
  const suffix = suffixOf[object]
  return suffix === undefined ? `lock:${name}` : `{lock:${name}}${suffix}`
}
