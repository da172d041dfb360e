import type { ConnectionOptions } from 'node:tls'
import {
  checkObject,
  checkOptions,
  checkValues,
  InvalidArgumentError,
  kindOf,
  shown,
  urlMistake,
  type OptionCheck,
} from '@holdfast/core/engine'
import type { Endpoint } from './client/connection.js'
import type { User } from './greeting.js'

/** Where memcached is, and how its locks are kept. */
export interface MemcachedOptions {
  /**
   * Of one server: `memcached://10.0.0.1:11211`, without a port 11211, or `memcached:///run/memcached.sock` for a socket of this machine. Several
   * servers are no option: a client that takes one for dead would ask another, and let a second owner in. `HoldfastQuorum` over three
   * memcacheds survives the loss of one.
   */
  readonly url: string
  /**
   * What all keys begin with: clients with the same prefix share locks. 1 to 40 printable characters without a space.
   *
   * @defaultValue 'holdfast:'
   */
  readonly prefix?: string
  /** A user of the server's `--auth-file`. With `password`. */
  readonly user?: string
  /** Of the user. */
  readonly password?: string
  /** Options of `tls.connect`, such as `ca`, `cert` and `key`; `true` for none. @defaultValue no TLS */
  readonly tls?: ConnectionOptions | true
  /**
   * Between which bounds, milliseconds, the time is drawn after which the next in line looks whether it is its turn. Shorter hands locks over
   * sooner, and costs two commands each time.
   *
   * @defaultValue [20, 40]
   */
  readonly pollMs?: readonly [shortest: number, longest: number]
  /**
   * Whether waiters queue, in order of arrival. Without a queue they compete: whoever looks at the right moment gets the lock, and some may
   * wait long. A hand-over then takes about half as long.
   *
   * @defaultValue true
   */
  readonly queue?: boolean
  /**
   * For how long nobody may enter after data was lost, milliseconds: after a restart, `flush_all`, or at first use. Left out, it is as long as
   * the longest lease of the clients that use the prefix, `leaseMs` or `watchdogTimeoutMs`: then a holder that cannot reach the server, or
   * stands still, has stopped claiming its lock by the time another client may enter. With less, the two may work at once; every client that
   * reaches the server learns within a second what it has lost. The longest of all clients counts. At least 2 000.
   *
   * @defaultValue undefined: `watchdogTimeoutMs`, or the longest `leaseMs`
   */
  readonly graceMs?: number
  /**
   * Locks that vanish when the server is full are accepted, as caches have it: two owners may then hold one lock. `getFencedLock` is refused.
   *
   * @defaultValue undefined: a server without `-M` is refused
   */
  readonly evictable?: 'accepted'
}

/** The options with their defaults. */
export interface MemcachedSettings {
  readonly endpoint: Endpoint
  readonly prefix: string
  readonly user: User | undefined
  readonly pollMs: readonly [shortest: number, longest: number]
  readonly queue: boolean
  /** `undefined`: as long as the longest lease. */
  readonly graceMs: number | undefined
  readonly mayEvict: boolean
}

const defaultPort = 11_211
/** A client looks every second at the data, and needs a moment to check what it holds. */
const shortestGraceMs = 2_000
const longestMs = 2 ** 31 - 1

const isInteger = (value: unknown, least: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= longestMs

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)

const isPollMs = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every((each: unknown) => isInteger(each, 1)) &&
  Number(value[0]) <= Number(value[1])

const checks = {
  url: {
    must: "a string such as 'memcached://127.0.0.1:11211'",
    accepts: (value) => typeof value === 'string',
    got: kindOf,
  },
  prefix: {
    must: 'a string of 1 to 40 printable characters without a space',
    accepts: (value) => isText(value, /^[\x21-\x7e]{1,40}$/),
  },
  user: {
    must: 'a string without a space or a colon',
    accepts: (value) => isText(value, /^[^\s:]+$/),
    got: kindOf,
  },
  password: { must: 'a string without a space', accepts: (value) => isText(value, /^\S+$/), got: kindOf },
  tls: {
    must: 'an object with options of tls.connect, or true',
    accepts: (value) => value === true || kindOf(value) === 'an object',
  },
  pollMs: {
    must: 'two integers of at least 1, the shortest and the longest time, such as [20, 40]',
    accepts: isPollMs,
    got: (value) => (Array.isArray(value) ? JSON.stringify(value) : shown(value)),
  },
  queue: { must: 'true or false', accepts: (value) => typeof value === 'boolean' },
  graceMs: {
    must: `an integer from ${shortestGraceMs}, as clients look every second whether data was lost`,
    accepts: (value) => isInteger(value, shortestGraceMs),
  },
  evictable: { must: "'accepted', or left out", accepts: (value) => value === 'accepted' },
} satisfies Readonly<Record<keyof MemcachedOptions, OptionCheck>>

const known: ReadonlySet<string> = new Set(Object.keys(checks))

const oneServer =
  'locks of one client are on one server, as a client that takes it for dead must not ask another; HoldfastQuorum over three ' +
  'memcacheds survives the loss of one'

/** @throws `InvalidArgumentError` naming the option, what was given and what is allowed */
export function resolveOptions(given: MemcachedOptions): MemcachedSettings {
  const way = "; pass the server as memcached({ url: 'memcached://127.0.0.1:11211' })"
  checkObject(given, way)
  const several = ['servers', 'hosts', 'urls'].find((name) => name in given)
  if (several !== undefined || Array.isArray(given.url))
    throw new InvalidArgumentError(`${several ?? 'a list as url'} is not possible: ${oneServer}`)
  checkOptions(given, known, way)
  checkValues(given, checks, (name) => name)
  const { url, prefix = 'holdfast:', tls, pollMs = [20, 40], queue = true, graceMs } = given
  return {
    endpoint: { ...placeOf(url), tls: tls === true ? {} : tls },
    ...{ prefix, pollMs, queue, graceMs, user: userOf(given) },
    mayEvict: given.evictable === 'accepted',
  }
}

function placeOf(url: unknown): Pick<Endpoint, 'name' | 'target'> {
  if (typeof url !== 'string' || !/^memcached:\/\//i.test(url)) {
    throw new InvalidArgumentError(`url must be a URL that begins with memcached://, got ${shown(url)}`)
  }
  if (/^memcached:\/\/[^/]*,/i.test(url))
    throw new InvalidArgumentError(`url must name one server: ${oneServer}`)
  // A scheme that URLs of the web know, or empty hosts and odd ports would pass.
  const isSocket = /^memcached:\/\/\//i.test(url)
  if (!URL.canParse(url)) throw new InvalidArgumentError(`url must be a valid URL: ${urlMistake(url)}`)
  const { hostname, port, username, password, pathname, search, hash } = new URL(url)
  if (username !== '' || password !== '') {
    throw new InvalidArgumentError('url must be a URL without a user; pass memcached({ user, password })')
  }
  if (search !== '' || hash !== '' || (!isSocket && pathname !== '' && pathname !== '/'))
    throw new InvalidArgumentError(`url must be a URL with nothing after the port`)
  if (isSocket) return socketOf(decodeURIComponent(pathname))
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) }
  return { name: `${hostname}:${target.port}`, target }
}

function socketOf(path: string): Pick<Endpoint, 'name' | 'target'> {
  if (path === '/') throw new InvalidArgumentError('url must name a host, or the path of a socket')
  return { name: path, target: { path } }
}

function userOf({ user, password }: MemcachedOptions): User | undefined {
  if (user === undefined && password === undefined) return undefined
  if (user === undefined) throw new InvalidArgumentError('password needs user, too')
  if (password === undefined) throw new InvalidArgumentError('user needs password, too')
  return { username: user, password }
}
