import type { EngineHost, LockEngine, Traits } from '../engine/session.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { checkInteger, checkString } from '../options/checks.js'
import { kindOf } from '../util/mistakes.js'
import { latchSteps, multiSteps, sharedSteps } from './carried-steps.js'
import { nativeCalls, RedisCommands } from './commands.js'
import { openConnections, askOf, type Connections } from './connection/connections.js'
import type { RedisCredentials, RedisSource } from './connection/types.js'
import { engineName } from './errors.js'
import { nativeLayout } from './keys.js'
import { operatorSteps } from './operator.js'
import { lockScripts } from './scripts/generated.js'
import { RedisSession, type CarriedSteps, type RedisSessionOptions } from './session.js'

/**
 * Locks among Holdfast clients, and whatever else its sessions carry.
 *
 * @param carried - that they carry from the start
 */
export function nativeEngine(options: RedisOptions, carried: readonly CarriedSteps[] = []): LockEngine {
  const settings = resolveRedisSettings(options)
  const traits = traitsOf(settings, {
    kinds: ['shared', 'latch'],
    fifo: true,
    handOff: 'grant',
    operator: true,
  })
  return {
    name: engineName,
    traits: { ...traits, lease: { ...traits.lease, keeps: true, handsOver: true } },
    open(host): RedisSession {
      const reached = reach(options, settings, host)
      const calls = { lock: nativeCalls(reached.connections.cluster === null) }
      const session = new RedisSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: nativeLayout,
        openSteps: (common) => new RedisCommands({ ...common, calls }),
        scripts: Object.values(lockScripts),
      })
      for (const steps of carried) session.carry(steps)
      return session
    },
  }
}

/** Of locks on Redis, whether or not they are shared with Redisson. */
const lockTraits = {
  // Redis expires a key in the millisecond after its TTL, by a clock that it reads once per command.
  lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsPerCycle: { uncontended: 2, contended: 2 },
} as const

export function traitsOf(
  { minReplicas, replicaTimeoutMs: withinMs }: RedisSettings,
  traits: Omit<Traits, keyof typeof lockTraits>,
): Traits {
  if (minReplicas === 0) return { ...lockTraits, ...traits }
  const confirmation = { withinMs, option: 'replicaTimeoutMs' }
  return { ...lockTraits, ...traits, lease: { ...lockTraits.lease, confirmation } }
}

/** A connection takes several round trips, which a command does not. */
const shortestConnectMs = 1_000

/** What a session needs of its servers. */
export function reach(
  { redis, credentials }: Pick<RedisOptions, 'redis' | 'credentials'>,
  { minReplicas: wanted, replicaTimeoutMs: timeoutMs }: RedisSettings,
  host: EngineHost,
): Pick<RedisSessionOptions, 'connections' | 'replicas'> {
  const connectTimeoutMs = Math.min(Math.max(host.commandTimeoutMs, shortestConnectMs), 10_000)
  const ask = credentials && askOf(credentials, host.commandTimeoutMs)
  const open = (more?: Record<string, unknown>): Connections =>
    openConnections(redis, host.clientId, connectTimeoutMs, more, ask)
  const connections = open()
  if (wanted === 0) return { connections, replicas: null }
  // A WAIT gets no reply for as long as replicas are behind.
  return { connections, replicas: { connections: open({ socketTimeout: undefined }), wanted, timeoutMs } }
}

export const allSteps = [sharedSteps, latchSteps, multiSteps, operatorSteps] as const

/**
 * Locks on Redis or Valkey: stand-alone, Sentinel or Cluster. `new Holdfast({ redis })` is `new Holdfast({ engine: redisEngine({ redis }) })`;
 * what wraps or tests engines takes this.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisEngine(options: RedisOptions): LockEngine {
  return nativeEngine(options, allSteps)
}

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

export const redisOptionNames: readonly (keyof RedisOptions)[] = [
  ...(['redis', 'credentials', 'prefix', 'minReplicas', 'replicaTimeoutMs'] as const),
]

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
