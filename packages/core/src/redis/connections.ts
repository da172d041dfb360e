import { Redis } from 'ioredis'
import { InvalidArgumentError } from '../errors.js'
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

/** Reconnects soon after a break and more slowly in a long outage; the jitter keeps clients from coming all at once. */
const reconnectAfterMs = (attempt: number): number =>
  Math.min(25 * 2 ** Math.min(attempt, 10), 1000) * (0.5 + Math.random() / 2)

const isCluster = (template: RedisTemplate | ClusterTemplate): template is ClusterTemplate =>
  'isCluster' in template && template.isCluster

/** The two connections of a client: one for commands, one (made anew by the subscriber hub as needed) for notices. */
export interface Connections {
  readonly keyPrefix: string
  readonly commands: CommandConnection
  /** The nodes of a cluster by slot; `null` for a single server. */
  readonly cluster: ClusterConnection | null
  makeSubscriber(): RedisConnection
}

/** Makes connections like the given template, or to the server that a URL names. Connects nothing yet. */
export function openConnections(
  redis: string | RedisTemplate | ClusterTemplate,
  clientId: string,
  connectTimeoutMs: number,
): Connections {
  const template = typeof redis === 'string' ? templateOf(redis) : redis
  const given: unknown = template
  if (typeof given !== 'object' || given === null || !('duplicate' in given) || !('options' in given)) {
    throw new InvalidArgumentError('redis must be a URL or an ioredis Redis or Cluster instance')
  }
  const overrides = own(connectTimeoutMs, `holdfast:${clientId}`)
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
      makeSubscriber: () => anyMaster(cluster).duplicate(subscriberOverrides),
    }
  }
  return {
    keyPrefix: template.options.keyPrefix ?? '',
    commands: template.duplicate({ ...overrides, retryStrategy: reconnectAfterMs }),
    cluster: null,
    makeSubscriber: () => template.duplicate(subscriberOverrides),
  }
}

function templateOf(url: string): RedisTemplate {
  if (!/^rediss?:\/\//.test(url)) {
    throw new InvalidArgumentError(
      `redis must be a redis:// or rediss:// URL, got one of ${url.split(':')[0]}:`,
    )
  }
  return new Redis(url, { lazyConnect: true })
}

function anyMaster(cluster: ClusterConnection): RedisConnection {
  const masters = cluster.nodes('master')
  const master = masters[Math.floor(Math.random() * masters.length)]
  if (!master) throw new Error('no master of the cluster is known yet')
  return master
}
