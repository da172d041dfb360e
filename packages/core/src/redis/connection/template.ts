import { InvalidArgumentError } from '../../errors/errors.js'
import { checkConnectionOptions, checkQuery } from './connection-options.js'
import loadIoredis from './ioredis.cjs'
import { redisClient } from '../../util/symbols.js'
import {
  isRedisClient,
  type ClusterTemplate,
  type RedisClient,
  type RedisConnectionOptions,
  type RedisTemplate,
} from './types.js'
import { kindOf, knownKindOf, urlMistake } from '../../util/mistakes.js'
import { whereItBelongs } from '../../options/where-it-belongs.js'

/** What reaches what `redis` names: an ioredis client, not connected, that can be duplicated, or a client that a package has wrapped. */
export function templateOf(redis: unknown): RedisTemplate | ClusterTemplate | RedisClient {
  checkSource(redis)
  if (isRedisClient(redis) || isTemplate(redis)) return redis
  return isText(redis) ? fromUrl(String(redis)) : fromOptions(redis)
}

/**
 * Refuses what says nowhere where Redis is, with the place for it where there is one.
 *
 * @param option - what it was given as
 * @throws `InvalidArgumentError`
 */
export function checkSource(
  redis: unknown,
  option = 'redis',
  place: 'client' | 'quorum' = 'client',
): asserts redis is string | URL | RedisConnectionOptions | RedisTemplate | ClusterTemplate | RedisClient {
  if (isRedisClient(redis)) {
    checkVersion(redis, option)
    return
  }
  if (isText(redis) ? isRedisUrl(String(redis)) : isTemplate(redis)) return
  if (isConnectionOptions(redis, option)) return
  const kind = kindOf(redis)
  const isEmpty = redis === ''
  if (isEmpty || kind === 'undefined' || kind === 'null') {
    const given = isEmpty ? 'an empty string' : kind
    throw new InvalidArgumentError(
      `${option} is ${given}: pass a URL such as redis://localhost:6379, or set the environment variable that it is read from`,
    )
  }
  if (kind !== 'a string') {
    throw new InvalidArgumentError(
      `${option} must be ${accepted}, got ${kind}${whereItBelongs(redis, place)}`,
    )
  }
  const [scheme] = /^redis(s|\+tls)?:/i.exec(String(redis)) ?? []
  const missing = scheme === undefined ? 'a scheme' : `// after ${scheme}`
  throw new InvalidArgumentError(
    `${option} is a string without ${missing}; write it as in redis://localhost:6379`,
  )
}

/** A package of another release may have been installed beside this one. */
function checkVersion(redis: { readonly [redisClient]: unknown }, option: string): void {
  const version = redis[redisClient]
  if (version === 1) return
  throw new InvalidArgumentError(
    `${option} was made for another release of @holdfast/core (interface ${String(version)}, not 1): install the same release of both packages`,
  )
}

const isText = (given: unknown): given is string | URL => typeof given === 'string' || given instanceof URL

/** Or the path of a socket. */
const isRedisUrl = (url: string): boolean => /^(unix:|redis(s|\+tls)?:\/\/|\/(?!\/))/i.test(url)

const accepted =
  'a redis://, rediss://, redis+tls:// or unix: URL, the path of a Unix socket, ' +
  'ioredis options with a host, port, path or sentinels, or an ioredis Redis or Cluster instance'

const isObject = (given: unknown): given is object => typeof given === 'object' && given !== null

/** A client of the package `redis`, of any version, looks similar, except for the names of its commands. */
const isTemplate = (given: unknown): given is RedisTemplate | ClusterTemplate =>
  isObject(given) && 'duplicate' in given && 'options' in given && !('EVALSHA' in given)

/** ioredis takes empty options to mean a server on this machine. Here they are more likely a missing setting. */
function isConnectionOptions(given: unknown, option: string): given is RedisConnectionOptions {
  if (!isObject(given) || Array.isArray(given) || knownKindOf(given) !== undefined) return false
  checkConnectionOptions(given, option)
  return ways.some((way) => Reflect.get(given, way) !== undefined)
}

const ways = ['host', 'port', 'path', 'sentinels'] satisfies (keyof RedisConnectionOptions)[]

function fromUrl(given: string): RedisTemplate {
  // ioredis compares schemes as they are written (5.11.1 and 6.0.0), and would use no TLS for `REDISS:`.
  const url = given.replace(/^[a-z+]+:/i, (scheme) => scheme.toLowerCase())
  if (url.startsWith('unix:')) {
    const { path, parsed } = readUnixUrl(url)
    checkQuery(parsed)
    return fromOptions({ path, ...Object.fromEntries(parsed.searchParams) })
  }
  const { Redis } = requireIoredis()
  // What follows the password would be dropped, and the user taken for the host.
  if (/#.*@/.test(url)) throw invalidUrl(urlMistake(url))
  let redis
  let parsed
  try {
    // Options may also follow the path of a socket.
    parsed = new URL(url.startsWith('/') ? `unix:${url}` : url)
    checkQuery(parsed)
    redis = new Redis(url.replace(/^redis\+tls:/, 'rediss:'), { lazyConnect: true })
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error
    throw invalidUrl(urlMistake(url))
  }
  // Of more than a number, ioredis would take the first and leave the rest.
  if (url.startsWith('/') || /^\/?\d*$/.test(parsed.pathname)) return redis
  const isCut = parsed.pathname.includes('@')
  throw invalidUrl(isCut ? urlMistake(url) : 'its path must be the number of a database')
}

/** As ioredis reads the path of a socket: options such as `db` may follow as a query. */
function readUnixUrl(url: string): { readonly path: string; readonly parsed: URL } {
  if (/^unix:\/\/[^/].*@/.test(url)) {
    throw invalidUrl(
      'user and password of a socket go into its query, as in unix:///run/redis.sock?username=user&password=password',
    )
  }
  try {
    const parsed = new URL(url)
    if (parsed.host === '' && parsed.pathname.startsWith('/')) {
      return { path: decodeURIComponent(parsed.pathname), parsed }
    }
  } catch {
    throw invalidUrl('special characters in its path must be percent-encoded (% as %25)')
  }
  throw new InvalidArgumentError('a unix: URL needs an absolute path, such as unix:///run/redis/redis.sock')
}

const invalidUrl = (why: string): InvalidArgumentError =>
  new InvalidArgumentError(`redis is not a valid URL: ${why}`)

function fromOptions(options: object): RedisTemplate {
  const { Redis } = requireIoredis()
  try {
    return new Redis({ ...options, lazyConnect: true })
  } catch (error) {
    throw new InvalidArgumentError(`ioredis rejects the options of redis: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function requireIoredis(): Exclude<ReturnType<typeof loadIoredis>, Error> {
  const ioredis = loadIoredis()
  if (!(ioredis instanceof Error)) return ioredis
  throw new InvalidArgumentError(
    'redis as a URL or as options needs the ioredis package: install it, or pass an ioredis instance (a bundle must) or an engine',
    { cause: ioredis },
  )
}
