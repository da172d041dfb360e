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
  ['a dashboard', 'fetch', 'node'],
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

/** The name that was probably meant: a misspelling is at most two letters off, and a forgotten unit leaves a prefix. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.toLowerCase()
  const within = (most: number): string | undefined =>
    names.find((name) => isWithin(wanted, name.toLowerCase(), most))
  const withStem = (): string | undefined =>
    names.find((name) => {
      const stem = name.replace(/Ms$/, '').toLowerCase()
      return stem.startsWith(wanted) || wanted.startsWith(stem)
    })
  return within(1) ?? withStem() ?? within(2)
}

/** Whether at most this many letters have to be inserted, deleted or replaced to get from one to the other. */
function isWithin(a: string, b: string, most: number): boolean {
  if (a === '' || b === '') return a.length + b.length <= most
  const [restA, restB] = [a.slice(1), b.slice(1)]
  if (a.startsWith(b.charAt(0))) return isWithin(restA, restB, most)
  if (most === 0) return false
  return isWithin(restA, restB, most - 1) || isWithin(restA, b, most - 1) || isWithin(a, restB, most - 1)
}

/**
 * What is wrong with the URL of a store that cannot be read, as the end of an error. Without its text, which may contain a
 * password.
 */
export function urlMistake(url: string): string {
  const [scheme = ''] = /^[a-z+]*/i.exec(url) ?? []
  const [authority = ''] = url
    .slice(Math.max(`${scheme}://`.length, url.lastIndexOf('@') + 1))
    .split(/[/?#]/, 1)
  const port = /^(?:\[[^\]]*\]|[^:[\]]*):(.*)$/.exec(authority)?.[1]
  if (authority.includes(',')) return 'it must name one host and port'
  if (port?.includes(':')) return 'an IPv6 address must stand in brackets, as in [::1]'
  if (port !== undefined && !isPort(port)) return 'its port must be a number from 1 to 65535'
  if (!url.includes('@')) return `it must have the form ${scheme}://user:password@host:port/database`
  return 'special characters in a password must be percent-encoded (% as %25, @ as %40, / as %2F)'
}

const isPort = (text: string): boolean => /^\d*$/.test(text) && Number(text) <= 65_535

const unpairedSurrogate = /\p{Surrogate}/u

/** Whether UTF-8 can encode a text as it is. */
export const isWellFormed = (text: string): boolean => !unpairedSurrogate.test(text)
