import { checkInteger, checkString } from '../checks.js'
import { InvalidArgumentError } from '../errors.js'
import type { RedisSource } from './connection/types.js'
import { shown } from '../util/kind-of.js'

/** Another library whose locks can be shared. */
export type Interop = 'redisson'

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
   *
   * Holdfast opens connections of its own in each case.
   */
  readonly redis: RedisSource
  /**
   * Put before every lock name, after the template's own `keyPrefix`.
   *
   * @defaultValue 'lock:'; with `interop` there is no prefix, and setting one is an error
   */
  readonly prefix?: string | undefined
  /**
   * Shares the objects of this client with Java services that use Redisson, 3.24 to 4.7: its `RLock`, `RReadWriteLock`,
   * `RCountDownLatch`, semaphores (see `java` of `getSemaphore`) and, by `getFencedLock`, its `RFencedLock` of the same name. Every
   * Holdfast client of these objects must set this. By
   * default locks are shared with Holdfast clients only.
   */
  readonly interop?: Interop | undefined
  /**
   * How many replicas must have a grant before its lease is handed out (`WAIT`). Reduces the risk that a fail-over grants
   * the lock twice; only a fencing token rules it out. Does not apply to re-entry or renewal.
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
  prefix: true,
  interop: true,
  minReplicas: true,
  replicaTimeoutMs: true,
}
export const redisOptionNames: readonly string[] = Object.keys(redisOptions)

/** Checked options with every default filled in. */
export interface RedisSettings {
  readonly prefix: string
  readonly interop: Interop | undefined
  readonly minReplicas: number
  readonly replicaTimeoutMs: number
}

function checkInterop({ interop, prefix }: RedisOptions): void {
  const given: unknown = interop
  if (given === undefined) return
  if (given !== 'redisson') {
    throw new InvalidArgumentError(`interop must be 'redisson', got ${shown(given)}`)
  }
  if (prefix !== undefined && prefix !== '') {
    throw new InvalidArgumentError(
      `prefix must be left out with interop: 'redisson', whose locks have none, got ${shown(prefix)}`,
    )
  }
}

/** Checks the options and fills in the defaults. */
export function resolveRedisSettings(options: RedisOptions): RedisSettings {
  checkString('prefix', options.prefix)
  checkInterop(options)
  checkInteger('minReplicas', options.minReplicas, 0)
  checkInteger('replicaTimeoutMs', options.replicaTimeoutMs, 1)
  return {
    prefix: options.prefix ?? (options.interop ? '' : 'lock:'),
    interop: options.interop,
    minReplicas: options.minReplicas ?? 0,
    replicaTimeoutMs: options.replicaTimeoutMs ?? 1_000,
  }
}
