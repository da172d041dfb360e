import { inspect } from 'node:util'

/**
 * What objects of ours, and of the libraries that are used with them, are recognized by: another copy of this package has
 * classes of its own, and minifiers rename them.
 */
const kinds: readonly (readonly [kind: string, ...members: string[]])[] = [
  ['a Holdfast client', 'getLock', 'getSemaphore'],
  ['a LockClient', 'getLock', 'traits'],
  ['a HoldfastQuorum client', 'getLock', 'scope'],
  ['a lock engine', 'open', 'traits', 'name'],
  ['a latch', 'trySetCount', 'countDown'],
  ['a semaphore', 'withPermits', 'name'],
  ['a multi lock', 'withLock', 'tryLock', 'names'],
  ['a lock', 'withLock', 'forceUnlock', 'name'],
  ['a bridged lock', 'withLock', 'name'],
  ['a read/write lock', 'read', 'write', 'name'],
  ['a lease', 'unlock', 'assertHeld'],
  ['a dashboard', 'fetch', 'node', 'close'],
  ['a PGlite database', 'query', 'waitReady'],
  ['a pool of pg', 'query', 'totalCount'],
  ['a pool of mysql2', 'execute', 'getConnection'],
  ['a client of Drizzle', 'execute', '$with'],
  ['a connection of mysql2', 'execute', 'query'],
  ['a connection of pg', 'query', 'connect', 'end'],
  ['a client of knex', 'raw', 'transaction'],
  ['a client of Kysely', 'executeQuery', 'selectFrom'],
  ['a client of postgres.js', 'unsafe', 'file'],
  ['a client of Prisma', '$executeRawUnsafe'],
  // Of node-redis 5 and 6. All of them have a method for each command.
  ['a cluster of the package redis', 'EVALSHA', 'nodeClient'],
  ['a Sentinel client of the package redis', 'EVALSHA', 'getMasterNode'],
  ['a pool of the package redis', 'EVALSHA', 'totalClients'],
  ['a client of the package redis', 'EVALSHA'],
  ["Bun's RedisClient", 'bufferedAmount', 'onconnect', 'send'],
  ['a client of Valkey GLIDE', 'customCommand', 'updateConnectionPassword'],
  ['an ioredis client', 'duplicate', 'options'],
  ['an AbortController', 'abort', 'signal'],
  ['an AbortSignal', 'aborted', 'addEventListener'],
  ['a promise', 'then'],
]

/** The kind of an object that is no plain set of options, if it is one that is often passed by mistake. */
export function knownKindOf(given: object): string | undefined {
  if (given instanceof URL) return `a URL object that begins with ${given.protocol}`
  return kinds.find(([, ...members]) => members.every((member) => member in given))?.[0]
}

/** Names what was given in place of something else. Without its value, which may contain a password. */
export function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given)
  if (Array.isArray(given)) return 'an array'
  if (typeof given === 'object') return knownKindOf(given) ?? 'an object'
  // Some clients can be called.
  if (typeof given === 'function') return knownKindOf(given) ?? 'a function'
  const scheme = typeof given === 'string' ? schemeOf(given) : undefined
  return scheme === undefined ? `a ${typeof given}` : `a string that begins with ${scheme}`
}

/** As in `redis://`. */
const schemeOf = (text: string): string | undefined => /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0]

/** The value that was given, or its kind if the value may contain a password. */
export function shown(given: unknown): string {
  const isText = typeof given === 'string'
  if (isText ? schemeOf(given) !== undefined : typeof given === 'function') return kindOf(given)
  if (typeof given !== 'object' || given === null) return inspect(given)
  const isBare = Object.keys(given).length === 0 && knownKindOf(given) === undefined
  return isBare ? inspect(given) : kindOf(given)
}
