import { inspect } from 'node:util'
import { backoffMs } from '@holdfast/pubsub'
import { InvalidArgumentError } from '../../errors.js'
import loadIoredis from './ioredis.cjs'
import type {
  ClusterConnection,
  ClusterTemplate,
  CommandConnection,
  RedisConnection,
  RedisTemplate,
} from './types.js'

/**
 * Opens connections of our own, like the application's client but for what would make them unsafe here:
 *
 * - a command whose reply was lost is not sent again behind our back: we repeat it ourselves, and know that we did
 * - a command never queues behind the application's pipelines and blocking reads
 * - names are complete when they get here, so the template's key prefix must not be put before them again
 */
const own = (connectTimeoutMs: number, connectionName: string) => ({
  keyPrefix: '',
  lazyConnect: true,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  enableAutoPipelining: false,
  enableOfflineQueue: true,
  maxRetriesPerRequest: 0,
  reconnectOnError: null,
  commandTimeout: undefined,
  stringNumbers: false,
  readOnly: false,
  role: 'master',
  monitor: false,
  connectTimeout: connectTimeoutMs,
  disconnectTimeout: disconnectTimeoutMs,
  connectionName,
})

/** How long ioredis waits for the other side to close before it destroys the socket. */
export const disconnectTimeoutMs = 200

const reconnectBackoff = { firstMs: 50, longestMs: 1_000 }

const reconnectAfterMs = (attempt: number): number => backoffMs(attempt, reconnectBackoff)

const isCluster = (template: RedisTemplate | ClusterTemplate): template is ClusterTemplate =>
  'isCluster' in template && template.isCluster

/** Equal connections: one for commands, and (replaced by the subscriber hub as needed) one for notifications. */
export interface Connections {
  readonly keyPrefix: string
  readonly commands: CommandConnection
  /** The nodes of a cluster by slot; `null` for a single server. */
  readonly cluster: ClusterConnection | null
  /** @param route - the node of a cluster to subscribe at; any master when left out */
  makeSubscriber(route?: string): RedisConnection
}

/**
 * Makes connections like the given template, or to the server that a URL names. Connects nothing yet.
 *
 * @param more - further ioredis options of these connections, over everything else
 */
export function openConnections(
  redis: string | RedisTemplate | ClusterTemplate,
  clientId: string,
  connectTimeoutMs: number,
  more: Record<string, unknown> = {},
): Connections {
  const template = typeof redis === 'string' ? templateOf(redis) : redis
  assertTemplate(template)
  const overrides = { ...own(connectTimeoutMs, `holdfast:${clientId}`), ...more }
  const subscriberOverrides = { ...overrides, retryStrategy: null }
  if (isCluster(template)) {
    const cluster = template.duplicate([], {
      keyPrefix: '',
      lazyConnect: true,
      scaleReads: 'master',
      enableAutoPipelining: false,
      enableOfflineQueue: true,
      shardedSubscribers: false,
      clusterRetryStrategy: reconnectAfterMs,
      redisOptions: overrides,
    })
    return {
      keyPrefix: template.options.keyPrefix ?? template.options.redisOptions?.keyPrefix ?? '',
      commands: cluster,
      cluster,
      makeSubscriber: (route) => {
        const node = route === undefined ? anyMaster(cluster) : masterAt(cluster, route)
        if (!node)
          throw new Error(
            route === undefined ? 'no master is known yet' : `no master is known at ${route} yet`,
          )
        return node.duplicate(subscriberOverrides)
      },
    }
  }
  assertDatabase(template.options.db)
  return {
    keyPrefix: template.options.keyPrefix ?? '',
    commands: template.duplicate({ ...overrides, retryStrategy: reconnectAfterMs }),
    cluster: null,
    makeSubscriber: () => template.duplicate(subscriberOverrides),
  }
}

/** Errors say nothing of the URL but its scheme: it may hold a password. */
function templateOf(url: string): RedisTemplate {
  if (!/^rediss?:\/\//.test(url)) {
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0]
    const got = scheme === undefined ? 'a string without a scheme' : `${article(scheme)} ${scheme} URL`
    throw new InvalidArgumentError(`redis must be a redis:// or rediss:// URL, got ${got}`)
  }
  const ioredis = loadIoredis()
  if (!ioredis) {
    throw new InvalidArgumentError('a Redis URL needs the package ioredis: install it, or pass an engine')
  }
  try {
    return new ioredis.Redis(url, { lazyConnect: true })
  } catch {
    throw new InvalidArgumentError(
      'redis is not a valid URL; special characters in a password must be percent-encoded',
    )
  }
}

const article = (word: string): string => (/^[aeiou]/i.test(word) ? 'an' : 'a')

/** A client of the package `redis` looks alike, but for the names of its commands. */
function assertTemplate(given: unknown): void {
  const isObject = typeof given === 'object' && given !== null
  if (!isObject || !('duplicate' in given) || !('options' in given) || 'evalSha' in given) {
    throw new InvalidArgumentError('redis must be a URL (a string) or an ioredis Redis or Cluster instance')
  }
}

/** ioredis sends any value that it is given, and the reply ends the process. */
function assertDatabase(db: unknown): void {
  if (db !== undefined && (typeof db !== 'number' || !Number.isInteger(db) || db < 0)) {
    throw new InvalidArgumentError(
      `the database of redis must be an integer of at least 0, got ${inspect(db)}`,
    )
  }
}

function anyMaster(cluster: ClusterConnection): RedisConnection | undefined {
  const masters = cluster.nodes('master')
  return masters[Math.floor(Math.random() * masters.length)]
}

/** The connection to the master at `host:port`, if that is known as one. */
export const masterAt = (cluster: ClusterConnection, route: string): RedisConnection | undefined =>
  cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === route)
