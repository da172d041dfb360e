import type { Holdfast, Lock } from '@holdfast/core'

/** A kind of object, as its users see it, and as the scripts do that handle many of its holds or queue entries at once. */
export interface Kind {
  get(client: Holdfast, name: string): Lock
  readonly keysPerHold: number
  readonly keysPerEntry: number
}

export const plainLocks: Kind = {
  get: (client, name) => client.getLock(name),
  keysPerHold: 1,
  keysPerEntry: 3,
}

export const writeLocks: Kind = {
  get: (client, name) => client.getReadWriteLock(name).write,
  keysPerHold: 2,
  keysPerEntry: 5,
}

export const readLocks: Kind = { ...writeLocks, get: (client, name) => client.getReadWriteLock(name).read }
