import { InvalidArgumentError } from '../errors/errors.js'
import { checkInteger, checkString } from '../options/checks.js'
import { kindOf } from '../util/mistakes.js'
import type { RedisCredentials, RedisSource } from './connection/types.js'

/** Where Redis is, and how its locks behave. */
export interface RedisOptions {
  /**
   * Where Redis is:
   *
   * - a URL, as a string or a `URL`: `redis://[[user]:password@]host[:port][/db]`, the same with `rediss://` or `redis+tls://` for
   *   TLS, or `unix:///path/to/socket[?db=…]`
   * - the path of a Unix socket
   * - options of ioredis: `{ host, port, … }`
   * - an ioredis `Redis` or `Cluster` that serves as a template. It is never used for commands and never closed
   * - a client of node-redis, likewise, as `nodeRedis(createClient({ url }))` of `@holdfast/core/node-redis`
   *
   * Holdfast opens separate connections in each case.
   */
  readonly redis: RedisSource
  /**
   * Returns the user and the password, or a promise of them: for passwords that change and tokens that expire. Called before each connection of
   * Holdfast, for commands and for messages, to each node and master, not to Sentinels. If it throws, does not resolve within
   * `commandTimeoutMs`, or returns what the server rejects or anything else, that is an outage with this cause: it is called again, and
   * calls wait as in any outage.
   * Without `username`, the one that `redis` has is used.
   *
   * @defaultValue those of `redis`: of an ioredis client, what its `options` say whenever Holdfast connects
   */
  readonly credentials?: (() => RedisCredentials | Promise<RedisCredentials>) | undefined
  /**
   * Put before every lock name, after the template's own `keyPrefix`.
   *
   * @defaultValue 'lock:'
   */
  readonly prefix?: string | undefined
  /**
   * How many replicas must have a grant before its lease is handed out (`WAIT`). Reduces the risk that a failover grants
   * the lock twice. It cannot exclude it: have the data store reject late writes by their fencing token. Does not apply to re-entry or renewal.
   *
   * @defaultValue 0: the master alone confirms
   */
  readonly minReplicas?: number | undefined
  /**
   * How long the replicas may take. After that the hold is released, and the call rejects with `ReplicationError`. At
   * least 1.
   *
   * Several calls share one `WAIT`; a call that arrives during one waits for the next, so it may take twice as long.
   *
   * @defaultValue 1_000
   */
  readonly replicaTimeoutMs?: number | undefined
}

const redisOptions: Record<keyof RedisOptions, true> = {
  redis: true,
  credentials: true,
  prefix: true,
  minReplicas: true,
  replicaTimeoutMs: true,
}
export const redisOptionNames: readonly string[] = Object.keys(redisOptions)

/** Checked options with every default filled in. */
export interface RedisSettings {
  readonly prefix: string
  readonly minReplicas: number
  readonly replicaTimeoutMs: number
}

/** Checks the options and fills in the defaults. */
export function resolveRedisSettings(options: RedisOptions): RedisSettings {
  const credentials: unknown = options.credentials
  if (credentials !== undefined && typeof credentials !== 'function') {
    throw new InvalidArgumentError(
      `credentials must be a function that returns { username?, password } or a promise of it, got ${kindOf(credentials)}`,
    )
  }
  checkString('prefix', options.prefix)
  checkInteger('minReplicas', options.minReplicas, 0)
  checkInteger('replicaTimeoutMs', options.replicaTimeoutMs, 1)
  return {
    prefix: options.prefix ?? 'lock:',
    minReplicas: options.minReplicas ?? 0,
    replicaTimeoutMs: options.replicaTimeoutMs ?? 1_000,
  }
}
