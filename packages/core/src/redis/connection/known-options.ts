import type { RedisOptions, SentinelAddress } from 'ioredis'
import { valueChecks, type OptionCheck } from '../../options/library-options.js'
import type { RedisConnectionOptions } from './types.js'

const { aKind, address, amount, any, fn, integer, map, oneOf, port, text, trueOrFalse: flag } = valueChecks
/** 0: whichever there is. */
const family = oneOf(0, 4, 6)
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
