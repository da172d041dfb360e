import type { RedisOptions, SentinelAddress } from 'ioredis'
import { kindOf } from '../../util/kind-of.js'
import type { RedisConnectionOptions } from './types.js'

/** What the value of an option may be: `${option} must be ${must}`. */
export interface OptionCheck {
  readonly must: string
  readonly accepts: (value: unknown) => boolean
  /** How a wrong value is named. By default it is shown. */
  readonly got?: (value: unknown) => string
}

/** ioredis takes `null` to mean that there is none, except of a port and a database. */
const orNull = ({ accepts, ...check }: OptionCheck): OptionCheck => ({
  ...check,
  accepts: (value) => value === null || accepts(value),
})

/** Or its digits, as an environment variable and the query of a URL have them: ioredis reads those, too. */
function integer(least: number, most = Infinity): OptionCheck {
  const accepts = (value: unknown): boolean => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
  }
  return {
    must: `an integer ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`,
    accepts,
  }
}

const oneOf = (...values: readonly unknown[]): OptionCheck =>
  orNull({ must: `one of ${values.join(', ')}`, accepts: (value) => values.includes(value) })

const aKind = (must: string, accepts: OptionCheck['accepts']): OptionCheck =>
  orNull({ must, accepts, got: (value) => (value === '' ? "''" : kindOf(value)) })

const any: OptionCheck = { must: '', accepts: () => true }
const text = aKind('a string', (value) => typeof value === 'string')
const address = aKind('a string that is not empty', (value) => typeof value === 'string' && value !== '')
const fn = aKind('a function', (value) => typeof value === 'function')
/** In the query of a URL, ioredis would take any text to mean `true`. */
const flag = aKind('true or false', (value) => typeof value === 'boolean' || value === 'true')
const map = aKind('an object', (value) => typeof value === 'object')
const port = integer(1, 65_535)
/** 0: whichever there is. */
const family = oneOf(0, 4, 6)
const amount = orNull({
  must: 'a number of at least 0',
  accepts: (value) =>
    typeof value === 'number' ? value >= 0 : typeof value === 'string' && /^\d+$/.test(value),
})
/** The texts that mean something to ioredis: `true` in the query of a URL, and its own profiles. Any other would also mean TLS. */
const tlsTexts: readonly unknown[] = ['true', 'RedisCloudFixed', 'RedisCloudFlexible']
const tls = aKind(
  'an object with options of tls.connect, such as {}',
  (value) => typeof value === 'object' || typeof value === 'boolean' || tlsTexts.includes(value),
)

/**
 * Every option of ioredis, which would ignore any other and connect to this machine. The compiler finds what is missing: the
 * options of ioredis 5 are among those of 6. The commonest come first, since the first of several near names is suggested.
 */
export const known: Readonly<Record<keyof RedisOptions, OptionCheck>> = {
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
  natMap: aKind(
    'an object or a function',
    (value) => typeof value === 'object' || typeof value === 'function',
  ),
  role: any,
  preferredSlaves: any,
  updateSentinels: flag,
  failoverDetector: flag,
  sentinelCommandTimeout: amount,
  sentinelMaxConnections: amount,
  sentinelReconnectStrategy: fn,
  sentinelRetryStrategy: fn,
  connectTimeout: amount,
  disconnectTimeout: amount,
  commandTimeout: amount,
  socketTimeout: amount,
  blockingTimeout: amount,
  blockingTimeoutGrace: amount,
  keepAlive: amount,
  noDelay: flag,
  connectionName: text,
  disableClientInfo: flag,
  clientInfoTag: text,
  Connector: fn,
  retryStrategy: fn,
  reconnectOnError: fn,
  maxRetriesPerRequest: amount,
  maxLoadingRetryTime: amount,
  autoResubscribe: flag,
  autoResendUnfulfilledCommands: flag,
  enableAutoPipelining: flag,
  autoPipeliningIgnoredCommands: any,
  offlineQueue: flag,
  commandQueue: flag,
  enableOfflineQueue: flag,
  enableReadyCheck: flag,
  lazyConnect: flag,
  readOnly: flag,
  stringNumbers: flag,
  protocol: oneOf(2, 3),
  replyMapping: any,
  monitor: flag,
  scripts: map,
  himportFieldsets: any,
  showFriendlyErrorStack: flag,
} satisfies Record<keyof RedisConnectionOptions, OptionCheck>

export const knownOfSentinel: Readonly<Record<keyof SentinelAddress, OptionCheck>> = {
  host: address,
  port,
  family,
}
