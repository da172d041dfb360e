import { redisClient } from '../../util/redis-client-symbols.js'
import type { ClusterConnection, CommandConnection, RedisConnection } from './types.js'

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
 * Another Redis library than ioredis, as a package such as `@holdfast/node-redis` makes it ready for Holdfast.
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
