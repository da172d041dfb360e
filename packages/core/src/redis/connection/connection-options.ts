import type { RedisOptions, SentinelAddress } from 'ioredis'
import { guessOf, isOptions } from '../../options/checks.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { kindOf, shown } from '../../util/kind-of.js'
import type { RedisConnectionOptions } from './types.js'

/**
 * Every option of ioredis, which would ignore any other and connect to this machine. The compiler finds what is missing: the
 * options of ioredis 5 are among those of 6. The commonest come first, since the first of several near names is suggested.
 */
const known: Record<keyof RedisOptions, true> = {
  host: true,
  port: true,
  username: true,
  password: true,
  db: true,
  tls: true,
  path: true,
  family: true,
  keyPrefix: true,
  sentinels: true,
  name: true,
  sentinelUsername: true,
  sentinelPassword: true,
  sentinelTLS: true,
  enableTLSForSentinelMode: true,
  natMap: true,
  role: true,
  preferredSlaves: true,
  updateSentinels: true,
  failoverDetector: true,
  sentinelCommandTimeout: true,
  sentinelMaxConnections: true,
  sentinelReconnectStrategy: true,
  sentinelRetryStrategy: true,
  connectTimeout: true,
  disconnectTimeout: true,
  commandTimeout: true,
  socketTimeout: true,
  blockingTimeout: true,
  blockingTimeoutGrace: true,
  keepAlive: true,
  noDelay: true,
  connectionName: true,
  disableClientInfo: true,
  clientInfoTag: true,
  Connector: true,
  retryStrategy: true,
  reconnectOnError: true,
  maxRetriesPerRequest: true,
  maxLoadingRetryTime: true,
  autoResubscribe: true,
  autoResendUnfulfilledCommands: true,
  enableAutoPipelining: true,
  autoPipeliningIgnoredCommands: true,
  offlineQueue: true,
  commandQueue: true,
  enableOfflineQueue: true,
  enableReadyCheck: true,
  lazyConnect: true,
  readOnly: true,
  stringNumbers: true,
  protocol: true,
  replyMapping: true,
  monitor: true,
  scripts: true,
  himportFieldsets: true,
  showFriendlyErrorStack: true,
} satisfies Record<keyof RedisConnectionOptions, true>
const knownOfSentinel: Record<keyof SentinelAddress, true> = { host: true, port: true, family: true }

/** What other libraries call it, with what to do here. */
const elsewhere: Readonly<Record<string, string>> = {
  url: '; pass the URL itself in place of the object',
  uri: '; pass the URL itself in place of the object',
  connectionString: '; pass the URL itself in place of the object',
  redis: '; pass its value in place of the object',
  socket: '; pass { host, port } without socket around it, and tls: {} for TLS',
  database: ' (did you mean db?)',
  ssl: ' (did you mean tls?)',
  nodes: '; for a Redis Cluster pass an ioredis Cluster, as in new Cluster([{ host, port }])',
  rootNodes: '; for a Redis Cluster pass an ioredis Cluster, as in new Cluster([{ host, port }])',
}

/**
 * Refuses options for ioredis that it would ignore or misread.
 *
 * @param option - what they were given as
 */
export function checkConnectionOptions(given: object, option: string): void {
  checkNames(given, Object.keys(known), option, advice)
  checkNumbers(given, option)
  for (const name of texts) checkText(`${option}.${name}`, Reflect.get(given, name))
  const has = (name: string): boolean => (Reflect.get(given, name) ?? undefined) !== undefined
  if (has('path') && has('host')) {
    throw new InvalidArgumentError(
      `${option} has a host and the path of a socket, of which ioredis would ignore the host: leave one of them out`,
    )
  }
  if (has('sentinels')) checkSentinels(Reflect.get(given, 'sentinels'), has('name'), option)
}

const texts = [
  'host',
  'path',
  'username',
  'password',
  'name',
  'keyPrefix',
  'sentinelUsername',
  'sentinelPassword',
] as const

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
  sentinels.forEach((sentinel: unknown, i) => {
    const place = `${option}.sentinels[${i}]`
    if (!isOptions(sentinel)) {
      throw new InvalidArgumentError(`${place} must be { host, port }, got ${kindOf(sentinel)}`)
    }
    checkNames(sentinel, Object.keys(knownOfSentinel), place, '; valid are host, port and family')
    checkNumbers(sentinel, place)
  })
}

/** ioredis would use whatever it is given. */
function checkText(option: string, value: unknown): void {
  if (value === undefined || value === null || typeof value === 'string') return
  throw new InvalidArgumentError(`${option} must be a string, got ${kindOf(value)}`)
}

/** The same for the options in the query of a URL. */
export function checkQuery({ searchParams }: URL): void {
  checkNames(Object.fromEntries(searchParams), Object.keys(known), 'the query of the URL', advice)
}

const advice =
  '; valid are the options of ioredis, such as host, port, username, password, db, tls and sentinels'

function checkNames(given: object, names: readonly string[], option: string, advice: string): void {
  for (const name in given) {
    if (names.includes(name)) continue
    const hint = elsewhere[name] ?? guessOf(name, names)
    throw new InvalidArgumentError(`unknown option ${shown(name)} of ${option}${hint}${advice}`)
  }
}

/** ioredis would use any value that it is given, and the resulting error would end the process: https://github.com/redis/ioredis/issues/1213 */
export function checkNumbers(given: object, option: string): void {
  requireWhole(`${option}.db`, Reflect.get(given, 'db'), 0)
  requireWhole(`${option}.port`, Reflect.get(given, 'port'), 1, 65_535)
}

/** Or its digits, as an environment variable has them: ioredis reads those, too. */
function requireWhole(option: string, value: unknown, least: number, most = Infinity): void {
  if (value === undefined) return
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return
  const bounds = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  throw new InvalidArgumentError(`${option} must be an integer ${bounds}, got ${shown(value)}`)
}
