import type { SubscriberConnection } from '@holdfast/pubsub'
import { redisClient } from '../../util/symbols.js'

/**
 * The parts of ioredis that Holdfast uses. Structural, so that ioredis 5 and 6 both fit, and so does a copy of
 * ioredis other than the one that this package would import.
 */

/** An ioredis `Redis` whose options say how to reach the server. */
export interface RedisTemplate {
  readonly options: {
    readonly keyPrefix?: string | undefined
    readonly db?: number | undefined
    readonly port?: number | undefined
    readonly username?: string | null | undefined
    readonly password?: string | null | undefined
  }
  duplicate(override: Record<string, unknown>): IoredisConnection
}

/** An ioredis `Cluster` whose options say how to reach its nodes. */
export interface ClusterTemplate {
  readonly isCluster: boolean
  readonly options: {
    readonly keyPrefix?: string | undefined
    readonly redisOptions?:
      | {
          readonly keyPrefix?: string | undefined
          readonly username?: string | null | undefined
          readonly password?: string | null | undefined
        }
      | undefined
  }
  duplicate(startupNodes: [], override: Record<string, unknown>): IoredisCluster
}

/** What else ioredis takes. */
export const furtherOptions = [
  'role',
  'preferredSlaves',
  'updateSentinels',
  'failoverDetector',
  'sentinelCommandTimeout',
  'sentinelMaxConnections',
  'sentinelReconnectStrategy',
  'sentinelRetryStrategy',
  'connectTimeout',
  'disconnectTimeout',
  'commandTimeout',
  'socketTimeout',
  'blockingTimeout',
  'blockingTimeoutGrace',
  'keepAlive',
  'noDelay',
  'connectionName',
  'disableClientInfo',
  'clientInfoTag',
  'Connector',
  'retryStrategy',
  'reconnectOnError',
  'maxRetriesPerRequest',
  'maxLoadingRetryTime',
  'autoResubscribe',
  'autoResendUnfulfilledCommands',
  'enableAutoPipelining',
  'autoPipeliningIgnoredCommands',
  'offlineQueue',
  'commandQueue',
  'enableOfflineQueue',
  'enableReadyCheck',
  'lazyConnect',
  'readOnly',
  'stringNumbers',
  'protocol',
  'replyMapping',
  'monitor',
  'scripts',
  'himportFieldsets',
  'showFriendlyErrorStack',
] as const

export type FurtherOption = (typeof furtherOptions)[number]

/**
 * How to reach Redis: the options of ioredis, with its defaults. At least `host`, `port`, `path` or `sentinels` is needed. The
 * further ones are passed on, but for those that Holdfast sets itself, such as `lazyConnect`, `connectTimeout` and `retryStrategy`.
 */
export interface RedisConnectionOptions extends Readonly<Partial<Record<FurtherOption, unknown>>> {
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** 4 or 6: the version of IP to use. */
  readonly family?: number | undefined
  /** The path of a Unix socket, in place of host and port. */
  readonly path?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** The number of the database. */
  readonly db?: number | undefined
  /** Options of `tls.connect`; `{}` for TLS with its defaults. */
  readonly tls?: object | undefined
  /** Put before the names of all keys, in front of `prefix`. */
  readonly keyPrefix?: string | undefined
  readonly sentinels?:
    readonly { readonly host?: string | undefined; readonly port?: number | undefined }[] | undefined
  /** The name of the group that the Sentinels watch. */
  readonly name?: string | undefined
  readonly sentinelUsername?: string | undefined
  readonly sentinelPassword?: string | undefined
  readonly sentinelTLS?: object | undefined
  readonly enableTLSForSentinelMode?: boolean | undefined
  /** How addresses that Redis reports are reached from here. */
  readonly natMap?: object | undefined
}

/** A connection that commands are sent on. */
export interface CommandConnection {
  readonly status: string
  /** The socket, while there is one; a cluster client has none of its own. */
  readonly stream?: {
    readonly bytesRead?: number
    /** Of TLS only: whether the handshake has not been completed. */
    readonly secureConnecting?: boolean
    cork(): void
    uncork(): void
  } | null
  /**
   * What a connection that shows no `stream` waits for, or waited for when it broke: `tls` until its TLS handshake is completed,
   * `reply` from then on until the first reply.
   */
  readonly awaits?: 'tls' | 'reply' | undefined
  on(event: string, listener: (...args: unknown[]) => void): unknown
  once(event: string, listener: (...args: unknown[]) => void): unknown
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
  eval(lua: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
  hgetall(key: string): Promise<Record<string, string>>
  wait(replicas: number, timeoutMs: number): Promise<number>
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  disconnect(reconnect?: boolean): void
}

/** A connection to one server, for commands or for notices. */
export type RedisConnection = CommandConnection &
  SubscriberConnection & {
    readonly options: { readonly host?: string | undefined; readonly port?: number | undefined }
    ssubscribe(channel: string): Promise<unknown>
    sunsubscribe(channel: string): Promise<unknown>
    on(event: 'smessage', listener: (channel: string, message: string) => void): unknown
  }

/** One of ioredis, which can be made again with other options. */
export type IoredisConnection = RedisConnection & {
  /** What the next attempt to connect logs in with. */
  readonly options: { username?: string | null | undefined; password?: string | null | undefined }
  duplicate(override: Record<string, unknown>): IoredisConnection
  emit(event: 'error', error: Error): unknown
}

/** What a connection logs in with. */
export interface RedisCredentials {
  /** Left out for the user that `redis` names, or else the default user. */
  readonly username?: string | undefined
  readonly password: string
}

/**
 * Asks the application for credentials, and checks its reply. Rejects if they do not come in time.
 *
 * @param signal - ends it at once
 */
export type AskCredentials = (signal: AbortSignal) => Promise<RedisCredentials>

/** Connections to the nodes of a cluster. */
export interface ClusterConnection extends CommandConnection {
  /** `host:port` of the nodes of each slot, the master first. */
  readonly slots: readonly (readonly string[] | undefined)[]
  nodes(role: 'master'): RedisConnection[]
  emit(event: 'error', error: Error): unknown
}

/** The same of ioredis. */
export interface IoredisCluster extends ClusterConnection {
  nodes(role: 'master'): IoredisConnection[]
  on(event: '+node', listener: (node: IoredisConnection) => void): unknown
  on(event: string, listener: (...args: unknown[]) => void): unknown
}

/** Where a {@link RedisClient} connects to, for messages. */
export type RedisTopology =
  | {
      readonly kind: 'single'
      readonly host?: string | undefined
      readonly port?: number | undefined
      /** Of a Unix socket. */
      readonly path?: string | undefined
      readonly tls?: boolean | undefined
    }
  | { readonly kind: 'sentinel'; readonly name: string; readonly sentinels: readonly RedisAddress[] }
  | { readonly kind: 'cluster'; readonly startupNodes: readonly RedisAddress[] }

/** Where a server is. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
}

/** How the connections of a {@link RedisClient} behave. */
export interface RedisClientOptions {
  /** For CLIENT SETNAME. */
  readonly name: string
  /** How long connecting to one server may take, milliseconds, and how long its handshake may go without a reply. */
  readonly connectTimeoutMs: number
  /** How long to wait before connecting again after so many attempts that failed, milliseconds. */
  readonly reconnectAfterMs: (attempt: number) => number
  /** Asked whenever a connection to a server that has locks is made. Without it the client's own credentials are used. */
  readonly credentials?: AskCredentials | undefined
}

/** The connections of a {@link RedisClient}, none of which is connected yet. */
export interface OpenedRedis {
  /** Connects when its first command is sent, and again whenever it breaks, until `disconnect()`. */
  readonly commands: CommandConnection
  /** The same object, if it leads to a cluster; `null` if it does not. */
  readonly cluster: ClusterConnection | null
  /**
   * Makes a connection that ends when it breaks.
   *
   * @param route - `host:port` of the node of a cluster to subscribe at; any master when left out
   * @throws if no such node is known
   */
  readonly makeSubscriber: (route?: string) => RedisConnection
}

/**
 * Another Redis library than ioredis, as `@holdfast/core/node-redis` makes it ready for Holdfast.
 *
 * Its connections have the methods, `status` words and events of those of ioredis, as far as their types name them, and keep these
 * rules:
 *
 * - No command is sent twice. A command whose reply is lost is rejected when its connection breaks. One that has not been sent is
 *   rejected when an attempt to connect fails.
 * - An error with which the server replied has the server's text, `name: 'ReplyError'`, and the command as
 *   `command: { name }` in lower case, without its arguments. Any other error with which a command is rejected has
 *   `connectionLost`.
 * - A connection emits `close` when it breaks, before it rejects what was in flight, and `error` with the reason. `disconnect()` ends it
 *   with `end`; `disconnect(true)` connects again.
 * - `node error` (error, address) says why a Sentinel or a node of a cluster led nowhere. When none of them led to the server, an `error`
 *   follows that has the last of them as `lastNodeError`.
 * - A cluster emits `-node` when the connection to a master ended, `+node` when one is ready, and `refresh` when it knows where the slots
 *   are. A connection emits `moved` when the server ended a sharded subscription.
 */
export interface RedisClient {
  /** The version of this interface. */
  readonly [redisClient]: 1
  /** Where its connections lead. */
  readonly topology: RedisTopology
  /** Put before the names of all keys, in front of `prefix`. */
  readonly keyPrefix: string
  /** Makes the connections of one Holdfast client. */
  open(options: RedisClientOptions): OpenedRedis
}

/** Whether a package made this for Holdfast. */
export const isRedisClient = (given: unknown): given is RedisClient =>
  typeof given === 'object' && given !== null && redisClient in given

/** Where Redis is. */
export type RedisSource =
  | string
  | URL
  // An engine has a name, too, and is given as `engine`.
  | (RedisConnectionOptions & { readonly traits?: never })
  | RedisTemplate
  | ClusterTemplate
  | RedisClient
