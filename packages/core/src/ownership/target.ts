import type { Address } from '../engine/requests.js'

/** What a call is about, as events and errors name it. */
export type ObjectKind = 'lock' | 'read-lock' | 'write-lock' | 'semaphore' | 'latch'

/** What a call wants of an object. */
export interface Target {
  readonly address: Address
  readonly kind: ObjectKind
  /** How many permits it wants; 1 for a lock. */
  readonly permits: number
  /** How many permits the object has in all; `undefined` for a lock. */
  readonly size: number | undefined
}

/** Whether several that want it may run in one hold at the same time. */
export const isShared = ({ kind }: Pick<Target, 'kind'>): boolean => kind === 'read-lock'

/** The object in messages, such as `read lock catalog`. */
export const titleOf = ({ kind, address }: Pick<Target, 'kind' | 'address'>): string =>
  titleFrom(kind, address.name)

/** The same from a kind and a name. */
export const titleFrom = (kind: ObjectKind, name: string): string => `${kind.replace('-', ' ')} ${name}`
