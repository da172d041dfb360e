import { isEngine } from '../../engine/session.js'
import type { RedisOptions, SentinelAddress } from 'ioredis'
import { InvalidArgumentError } from '../../errors/errors.js'
import { checkNames, checkValues, isOptions, valueChecks, type OptionCheck } from '../../options/checks.js'
import { kindOf, knownKindOf, urlMistake } from '../../util/mistakes.js'
import { redisClient } from '../../util/symbols.js'
import loadIoredis from './ioredis.cjs'
import {
  furtherOptions,
  isRedisClient,
  type ClusterTemplate,
  type CommandConnection,
  type FurtherOption,
  type RedisClient,
  type RedisConnectionOptions,
  type RedisTemplate,
} from './types.js'

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

const asUrl = '; pass the URL itself in place of the object'
const asCluster = '; for a Redis Cluster pass an ioredis Cluster, as in new Cluster([{ host, port }])'

/** What other libraries call it, with what to do here. */
const elsewhere: Readonly<Record<string, string>> = {
  url: asUrl,
  uri: asUrl,
  connectionString: asUrl,
  redis: '; pass its value in place of the object',
  socket: '; pass { host, port } without socket around it, and tls: {} for TLS',
  database: ' (did you mean db?)',
  ssl: ' (did you mean tls?)',
  nodes: asCluster,
  rootNodes: asCluster,
}

/**
 * Refuses options for ioredis that it would ignore or misread.
 *
 * @param option - what they were given as
 * @param placeOf - what errors call one of them
 */
function checkConnectionOptions(
  given: object,
  option: string,
  placeOf = (name: string): string => `${option}.${name}`,
): void {
  checkNames(given, [...Object.keys(known), ...furtherOptions], option, elsewhere, advice)
  checkValues(given, known, placeOf)
  const has = (name: string): boolean => (Reflect.get(given, name) ?? undefined) !== undefined
  if (has('path') && has('host')) {
    throw new InvalidArgumentError(
      `${option} has a host and the path of a socket, of which ioredis would ignore the host: leave one of them out`,
    )
  }
  if (has('sentinels')) checkSentinels(Reflect.get(given, 'sentinels'), has('name'), option)
}

function checkSentinels(sentinels: unknown, isNamed: boolean, option: string): void {
  if (!Array.isArray(sentinels)) {
    throw new InvalidArgumentError(
      `${option}.sentinels must be an array of { host, port }, got ${kindOf(sentinels)}`,
    )
  }
  if (sentinels.length === 0) {
    throw new InvalidArgumentError(
      `${option}.sentinels must have at least one { host, port }, got an empty array`,
    )
  }
  if (!isNamed) {
    throw new InvalidArgumentError(
      `${option}.name must be the name that the Sentinels have for the master, such as 'mymaster', got undefined`,
    )
  }
  // Unlike `forEach`, this does not skip the holes of an array.
  Array.from(sentinels, (sentinel: unknown, i) => {
    const place = `${option}.sentinels[${i}]`
    if (!isOptions(sentinel)) {
      throw new InvalidArgumentError(`${place} must be { host, port }, got ${kindOf(sentinel)}`)
    }
    checkNames(sentinel, Object.keys(knownOfSentinel), place, elsewhere, '; valid are host, port and family')
    checkValues(sentinel, knownOfSentinel, (name) => `${place}.${name}`)
  })
}

/** The same for the options in the query of a URL. ioredis would ignore those that the URL has before its query. */
function checkQuery(url: URL): void {
  const { protocol, username, password, hostname: host, port, pathname, searchParams } = url
  const query = Object.fromEntries(searchParams)
  const isSocket = protocol === 'unix:'
  const own = { username, password, host, port, [isSocket ? 'path' : 'db']: pathname.replace(/^\/$/, '') }
  const ignored = Object.entries(own).find(([name, value]) => value !== '' && name in query)?.[0]
  if (ignored !== undefined) {
    throw new InvalidArgumentError(
      `${ignored} in the query of the URL would be ignored, since the URL has it before its query: leave one of them out`,
    )
  }
  // ioredis reads this one as a number.
  const { family = '' } = query
  const asRead = /^\d+$/.test(family) ? { family: Number(family) } : {}
  const reached = { ...(host !== '' && { host }), ...(isSocket && { path: pathname }) }
  checkConnectionOptions({ ...reached, ...query, ...asRead }, queryName, (name) => `${name} in ${queryName}`)
}

const queryName = 'the query of the URL'

const advice =
  '; valid are the options of ioredis, such as host, port, username, password, db, tls and sentinels'

/** ioredis would use any value that it is given, and the resulting error would end the process: https://github.com/redis/ioredis/issues/1213 */
export const checkNumbers = (given: object, option: string): void =>
  checkValues(given, { db: known.db, port: known.port }, (name) => `${option}.${name}`)

const { aKind, address, any, integer, oneOf, port, text, trueOrFalse: flag } = valueChecks
/** 0: whichever there is. */
const family = oneOf(0, 4, 6)
/** The texts that mean something to ioredis: `true` in the query of a URL, and its own profiles. Any other would also mean TLS. */
const tlsTexts: readonly unknown[] = ['true', 'RedisCloudFixed', 'RedisCloudFlexible']
const tls = aKind(
  'an object with options of tls.connect, such as {}',
  (value) => typeof value === 'object' || typeof value === 'boolean' || tlsTexts.includes(value),
)

/**
 * With {@link furtherOptions} every option of ioredis, which would ignore any other and connect to this machine. The compiler finds what is
 * missing: the options of ioredis 5 are among those of 6. The first of several similar names is suggested, so the most common lead.
 */
const known: Readonly<Record<Exclude<keyof RedisOptions, FurtherOption>, OptionCheck>> = {
  host: address,
  port,
  username: text,
  password: text,
  db: integer(0),
  tls,
  path: address,
  family,
  keyPrefix: text,
  // Checked one by one.
  sentinels: any,
  name: text,
  sentinelUsername: text,
  sentinelPassword: text,
  sentinelTLS: tls,
  enableTLSForSentinelMode: flag,
  natMap: any,
} satisfies Partial<Record<keyof RedisConnectionOptions, OptionCheck>>

const knownOfSentinel: Readonly<Record<keyof SentinelAddress, OptionCheck>> = {
  host: address,
  port,
  family,
}

/**
 * Replaces a connection whose handshake gets no reply. ioredis limits only the time until the socket is connected (5.11.1 and 6.0.0), so
 * behind a proxy that has lost its server, for example, it would wait forever. A server that is loading its data does reply.
 *
 * @param limitMs - how long nothing may be received
 * @param onSilent - called with the reason before the connection is closed
 */
export function limitHandshake(
  commands: CommandConnection,
  limitMs: number,
  onSilent: (error: Error) => void,
): void {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearTimeout(timer)
  commands.on('connect', () => {
    let seen = 0
    stop()
    timer = setInterval(() => {
      const received = commands.stream?.bytesRead ?? 0
      if (received === seen) {
        onSilent(new Error(`the connection was accepted, and nothing has come back within ${limitMs} ms`))
        commands.disconnect(true)
      }
      seen = received
    }, limitMs)
    // This timer must not keep the process alive; the socket does.
    timer.unref()
  })
  commands.on('ready', stop)
  commands.on('close', stop)
}

const ofClient = {
  redis: 'new Holdfast({ redis })',
  engine: (made: string) => `new Holdfast({ engine${made} })`,
}
const ofQuorum = { redis: 'masters: [url, …]', engine: (made: string) => `masters: [{ engine${made} }, …]` }

/**
 * Where something belongs that was given in the wrong place, to be appended to the error; empty if that is not known.
 *
 * @param place - what says where the store is: the options of a client, or the masters of a quorum
 */
export function whereItBelongs(given: unknown, place: 'client' | 'quorum' = 'client'): string {
  const { redis, engine } = place === 'quorum' ? ofQuorum : ofClient
  const postgres = (option: string): string =>
    `; for locks in PostgreSQL pass ${engine(`: postgres({ ${option} })`)}, with postgres from @holdfast/stores/postgres`
  if (isEngine(given)) return `; pass an engine as ${engine('')}`
  if (typeof given === 'string' || given instanceof URL) {
    const text = String(given)
    if (/^postgres(ql)?:/i.test(text)) return postgres('url')
    return /^(rediss?|redis\+tls|unix):/i.test(text) ? `; pass where Redis is as ${redis}` : ''
  }
  const kind = kindOf(given)
  switch (kind) {
    case 'a Holdfast client':
    case 'a HoldfastQuorum client':
      return '; it is ready to use: call its getLock'
    case 'a PGlite database':
      return postgres('pglite')
    case 'a pool of pg':
    case 'a client of knex':
      return postgres('config')
    case 'an ioredis client':
      return `; pass where Redis is as ${redis}`
    case 'a function':
      return whereFunctionBelongs(given, postgres)
    case "Bun's RedisClient":
    case 'a client of Valkey GLIDE':
      return '; it does not report what becomes of its connections: use ioredis, which runs on Bun, too'
    case 'a promise':
      return '; await it first'
    case 'an array':
      return place === 'client' ? several : ''
    default:
      return adviceOnClient(kind, place)
  }
}

/** Classes are functions. */
function whereFunctionBelongs(given: unknown, postgres: (option: string) => string): string {
  const has = (of: unknown, member: string): boolean => typeof Reflect.get(Object(of), member) === 'function'
  const made: unknown = Reflect.get(Object(given), 'prototype')
  // Of any copy of ioredis, minified or not.
  if (has(made, 'duplicate')) return '; construct it, as in new Redis(url)'
  if (has(made, 'query')) return postgres('config')
  return /^class\b/.test(String(given)) ? '; it is a class, pass an object' : '; call it, as in memory()'
}

const several =
  '; for the nodes of one Redis Cluster pass new Cluster([…]) of ioredis, and for servers that are independent of each other use ' +
  'new HoldfastQuorum({ masters: […] })'

/** What to do about a client of Redis that was given, to be appended to the error. */
function adviceOnClient(kind: string, place: 'client' | 'quorum'): string {
  if (!kind.endsWith('of the package redis')) return ''
  const made = kind.startsWith('a cluster')
    ? 'nodeRedis.cluster(createClient, { rootNodes })'
    : kind.startsWith('a Sentinel')
      ? 'nodeRedis.sentinel(createClient, { name, sentinelRootNodes })'
      : 'nodeRedis(createClient({ url }))'
  const call = place === 'client' ? `new Holdfast({ redis: ${made} })` : `masters: [${made}, …]`
  return `; with @holdfast/core/node-redis pass it as ${call}${kind.startsWith('a pool') ? ': Holdfast needs one connection for commands, and no pool' : ''}`
}
