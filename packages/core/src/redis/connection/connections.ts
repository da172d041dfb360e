import { backoffMs } from '../../util/timeouts.js'
import { noteLogin } from '../errors.js'
import { checkNumbers } from './connection-options.js'
import { authenticate } from './credentials.js'
import { templateOf } from './template.js'
import {
  isRedisClient,
  type AskCredentials,
  type ClusterTemplate,
  type IoredisCluster,
  type IoredisConnection,
  type OpenedRedis,
  type RedisConnection,
  type RedisSource,
  type RedisTemplate,
} from './types.js'

/**
 * Opens connections of our own, like the application's client except for what would make them unsafe here:
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

/** How long ioredis waits for the other side to close before it destroys the socket: https://github.com/redis/ioredis/pull/1318 */
export const disconnectTimeoutMs = 200

const reconnectBackoff = { firstMs: 50, longestMs: 1_000 }

const reconnectAfterMs = (attempt: number): number => backoffMs(attempt, reconnectBackoff)

const isCluster = (template: RedisTemplate | ClusterTemplate): template is ClusterTemplate =>
  'isCluster' in template && template.isCluster

/** Equal connections: one for commands, and (replaced by the subscriber hub as needed) one for notifications. */
export interface Connections extends OpenedRedis {
  /** Names the server in messages. */
  readonly server: string
  readonly keyPrefix: string
  /** How long connecting may take, and how long its handshake may go without a reply. */
  readonly connectTimeoutMs: number
}

/**
 * Makes connections like the given template, or to the server that a URL or options name. Connects nothing yet.
 *
 * @param more - further ioredis options of these connections, over everything else
 * @param credentials - asked before each connection; without it those of the template's options at that time are used
 */
export function openConnections(
  redis: RedisSource,
  clientId: string,
  connectTimeoutMs: number,
  more: Record<string, unknown> = {},
  credentials?: AskCredentials,
): Connections {
  const name = `holdfast:${clientId}`
  const template = templateOf(redis)
  if (isRedisClient(template)) {
    const { topology, keyPrefix } = template
    const server = serverName({ ...topology, options: topology })
    const opened = template.open({ name, connectTimeoutMs, reconnectAfterMs, credentials })
    const base = { server, keyPrefix, connectTimeoutMs, ...opened }
    if (!credentials) return base
    opened.commands.on('error', noteLogin)
    opened.commands.on('node error', noteLogin)
    const makeSubscriber = (route?: string): RedisConnection => {
      const subscriber = opened.makeSubscriber(route)
      subscriber.on('error', noteLogin)
      return subscriber
    }
    return { ...base, makeSubscriber }
  }
  const overrides = { ...own(connectTimeoutMs, name), ...more }
  const subscriberOverrides = { ...overrides, retryStrategy: null }
  if (isCluster(template)) {
    const cluster: IoredisCluster = template.duplicate([], {
      keyPrefix: '',
      lazyConnect: true,
      scaleReads: 'master',
      enableAutoPipelining: false,
      enableOfflineQueue: true,
      shardedSubscribers: false,
      clusterRetryStrategy: (attempt: number, reason?: Error) => {
        // An address that cannot be resolved is reported nowhere else.
        if (reason) cluster.emit('error', reason)
        return reconnectAfterMs(attempt)
      },
      redisOptions: overrides,
    })
    const source = credentials ? { ask: credentials } : { current: () => template.options.redisOptions ?? {} }
    // Before it connects.
    cluster.on('+node', (node) => authenticate(node, source))
    return {
      server: serverName(template),
      connectTimeoutMs,
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
  checkNumbers(template.options, 'redis')
  const source = credentials ? { ask: credentials } : { current: () => template.options }
  return {
    server: serverName(template),
    connectTimeoutMs,
    keyPrefix: template.options.keyPrefix ?? '',
    commands: authenticate(
      template.duplicate({ ...overrides, retryStrategy: reconnectAfterMs }),
      source,
      reconnectAfterMs,
    ),
    cluster: null,
    makeSubscriber: () => authenticate(template.duplicate(subscriberOverrides), source),
  }
}

function anyMaster(cluster: IoredisCluster): IoredisConnection | undefined {
  const masters = cluster.nodes('master')
  return masters[Math.floor(Math.random() * masters.length)]
}

/** The connection to the master at `host:port`, if one is known there. */
export const masterAt = <C extends RedisConnection>(
  cluster: { nodes(role: 'master'): C[] },
  route: string,
): C | undefined => cluster.nodes('master').find(({ options }) => `${options.host}:${options.port}` === route)

/** How many of several addresses a message lists. */
const maxListed = 3

/** Names what an ioredis client connects to, for messages. Never contains a user or a password. */
export function serverName(client: object): string {
  const nodes = fieldOf(client, 'startupNodes')
  if (Array.isArray(nodes)) return `Redis Cluster at ${listed(nodes, 6379)}`
  const options = fieldOf(client, 'options')
  const sentinels = fieldOf(options, 'sentinels')
  if (Array.isArray(sentinels)) {
    return `Redis master ${wordAt(options, 'name') ?? ''} of Sentinel at ${listed(sentinels, 26379)}`
  }
  const tls = fieldOf(options, 'tls') ? ' (TLS)' : ''
  return `Redis at ${wordAt(options, 'path') ?? addressOf(options, 6379)}${tls}`
}

function listed(nodes: readonly unknown[], defaultPort: number): string {
  const addresses = nodes.slice(0, maxListed).map((node) => addressOf(node, defaultPort))
  const more = nodes.length - addresses.length
  return addresses.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** @param node - as ioredis takes it: a port, a URL, or an object with host and port */
function addressOf(node: unknown, defaultPort: number): string {
  if (typeof node === 'object') {
    return `${wordAt(node, 'host') ?? '127.0.0.1'}:${wordAt(node, 'port') ?? defaultPort}`
  }
  if (typeof node === 'number') return `127.0.0.1:${node}`
  if (typeof node !== 'string') return unreadable
  if (/^\d+$/.test(node)) return `127.0.0.1:${node}`
  const url = node.includes('://') ? node : `redis://${node}`
  if (!URL.canParse(url)) return unreadable
  const { hostname, port } = new URL(url)
  return `${hostname}:${port === '' ? defaultPort : port}`
}

const unreadable = 'an unreadable address'

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, name)
  return field
}

function wordAt(value: unknown, name: string): string | number | undefined {
  const word = fieldOf(value, name)
  return typeof word === 'string' || typeof word === 'number' ? word : undefined
}
