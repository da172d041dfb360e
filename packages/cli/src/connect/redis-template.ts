import type { Cluster, Redis } from 'ioredis'
import { ExitError, exitCodes } from '../exit-codes.js'
import ioredis from './ioredis.cjs'
import { readNodes, readRedisUrl, readSocketUrl, type RedisUrl } from './redis-url.js'
import type { StoreOptions } from './store-options.js'

const defaultSentinelPort = 26_379

/** A client of ioredis that says how to reach Redis, and that never connects itself. */
export function redisTemplate(options: StoreOptions): Redis | Cluster {
  const { url, cluster, sentinel, sentinels, keyPrefix = '', timeout } = options
  if (url === undefined && cluster === undefined && sentinels === undefined) {
    throw new ExitError(
      'no store was given: set HOLDFAST_URL or HOLDFAST_REDIS_URL, or pass --url, ' +
        'such as redis://localhost:6379 or postgres://localhost/app',
      exitCodes.usage,
    )
  }
  const { Cluster, Redis } = ioredis()
  const [way, otherWay] = waysOf(options)
  if (otherWay !== undefined)
    throw new ExitError(`${way} and ${otherWay} exclude each other`, exitCodes.usage)
  if (url?.startsWith('unix:')) {
    return new Redis({ ...readSocketUrl(url), keyPrefix, lazyConnect: true })
  }
  const server: Partial<RedisUrl> = url === undefined ? {} : readRedisUrl(url)
  const { host, port, ...login } = server
  if (cluster !== undefined) {
    const { db: _none, ...redisOptions } = login
    const seeds = readNodes('--cluster', cluster, port ?? 6379)
    return new Cluster(seeds, { lazyConnect: true, keyPrefix, redisOptions })
  }
  if (sentinel !== undefined || sentinels !== undefined) {
    const given = sentinels ?? `${host ?? ''}:${port ?? defaultSentinelPort}`
    const nodes = readNodes('--sentinels', given, defaultSentinelPort)
    return new Redis({
      ...login,
      ...sentinelLogin(),
      // Without these, ioredis ignores `tls` here and sends the password in plain text.
      ...(login.tls && { enableTLSForSentinelMode: true, sentinelTLS: login.tls }),
      sentinels: nodes,
      // ioredis waits for one that hangs without an end. All get their chance before the first command times out.
      sentinelCommandTimeout: Math.ceil(timeout / (nodes.length + 1)),
      name: sentinel ?? 'mymaster',
      keyPrefix,
      lazyConnect: true,
    })
  }
  return new Redis({ ...server, keyPrefix, lazyConnect: true })
}

/** What was given that says which kind of Redis it is: none means one server. */
function waysOf({ url, cluster, sentinel, sentinels }: StoreOptions): string[] {
  return [
    ...(url?.startsWith('unix:') ? ['a unix: URL'] : []),
    ...(cluster !== undefined ? ['--cluster'] : []),
    ...(sentinel !== undefined || sentinels !== undefined ? ['--sentinel'] : []),
  ]
}

/** Sentinels may have a password of their own. */
function sentinelLogin(): { sentinelUsername?: string; sentinelPassword?: string } {
  const { HOLDFAST_SENTINEL_USERNAME: username, HOLDFAST_SENTINEL_PASSWORD: password } = process.env
  return {
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
  }
}
