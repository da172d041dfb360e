import { InvalidArgumentError } from '../../errors.js'
import loadIoredis from './ioredis.cjs'
import type { ClusterTemplate, RedisConnectionOptions, RedisTemplate } from './types.js'
import { kindOf, shown } from '../../util/kind-of.js'
import { urlMistake } from '../../util/url-mistake.js'
import { whereItBelongs } from '../../where-it-belongs.js'

/** An ioredis client, not connected, that can be duplicated to reach what `redis` names. */
export function templateOf(redis: unknown): RedisTemplate | ClusterTemplate {
  checkSource(redis)
  if (isTemplate(redis)) return redis
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
): asserts redis is string | URL | RedisConnectionOptions | RedisTemplate | ClusterTemplate {
  // A URL has a host and a port, too.
  if (isText(redis) ? isRedisUrl(String(redis)) : isTemplate(redis) || isConnectionOptions(redis)) return
  const kind = kindOf(redis)
  const must = `${option} must be ${accepted}, got`
  if (kind !== 'a string') throw new InvalidArgumentError(`${must} ${kind}${whereItBelongs(redis, place)}`)
  const [scheme] = /^redis(s|\+tls)?:/i.exec(String(redis)) ?? []
  const without = scheme === undefined ? 'a scheme' : `// after ${scheme}`
  throw new InvalidArgumentError(`${must} a string without ${without}`)
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
const isConnectionOptions = (given: unknown): given is RedisConnectionOptions =>
  isObject(given) && !('duplicate' in given) && ways.some((way) => Reflect.get(given, way) !== undefined)

const ways = ['host', 'port', 'path', 'sentinels'] satisfies (keyof RedisConnectionOptions)[]

function fromUrl(given: string): RedisTemplate {
  // ioredis would use no TLS for `REDISS:`.
  const url = given.replace(/^[a-z+]+:/i, (scheme) => scheme.toLowerCase())
  if (url.startsWith('unix:')) return fromOptions(optionsOfUnixUrl(url))
  const { Redis } = requireIoredis()
  // What follows the password would be dropped, and the user taken for the host.
  if (/#.*@/.test(url)) throw invalidUrl(urlMistake(url))
  let redis
  try {
    redis = new Redis(url.replace(/^redis\+tls:/, 'rediss:'), { lazyConnect: true })
  } catch {
    throw invalidUrl(urlMistake(url))
  }
  if (!Number.isNaN(redis.options.db)) return redis
  const isCut = new URL(url).pathname.includes('@')
  throw invalidUrl(isCut ? urlMistake(url) : 'its path must be the number of a database')
}

/** As ioredis reads the path of a socket: options such as `db` may follow as a query. */
function optionsOfUnixUrl(url: string): object {
  try {
    const { host, pathname, searchParams } = new URL(url)
    if (host === '' && pathname.startsWith('/')) {
      return { path: decodeURIComponent(pathname), ...Object.fromEntries(searchParams) }
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
  return new Redis({ ...options, lazyConnect: true })
}

function requireIoredis(): Exclude<ReturnType<typeof loadIoredis>, Error> {
  const ioredis = loadIoredis()
  if (!(ioredis instanceof Error)) return ioredis
  throw new InvalidArgumentError(
    'redis as a URL or as options needs the ioredis package: install it, or pass an ioredis instance (a bundle must) or an engine',
    { cause: ioredis },
  )
}

/** ioredis would use any value that it is given, and the resulting error would end the process. */
export function assertNumbers({ db, port }: RedisTemplate['options']): void {
  requireWhole('database', db, 0)
  requireWhole('port', port, 1, 65_535)
}

function requireWhole(what: string, value: unknown, least: number, most = Infinity): void {
  if (value === undefined) return
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return
  const bounds = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  throw new InvalidArgumentError(`the ${what} of redis must be an integer ${bounds}, got ${shown(value)}`)
}
