import { toError } from '@holdfast/pubsub'
import { InvalidArgumentError } from '../../errors/errors.js'
import { kindOf } from '../../util/mistakes.js'
import { abortablePause, backoffMs, timedOut, withTimeout } from '../../util/timeouts.js'
import { noteLogin } from '../errors.js'
import { checkNumbers, templateOf } from './template.js'
import {
  isRedisClient,
  type AskCredentials,
  type ClusterTemplate,
  type IoredisCluster,
  type IoredisConnection,
  type OpenedRedis,
  type RedisConnection,
  type RedisCredentials,
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

/** Where the credentials of a connection come from, whenever one is made. */
export type CredentialsSource =
  | {
      /** Asks the application. Rejects if it does not have them in time. */
      readonly ask: AskCredentials
    }
  | {
      /** What the options of the application's client say by now. */
      readonly current: () => Login
    }

/** Either is left as it is where it is missing. */
interface Login {
  readonly username?: string | null | undefined
  readonly password?: string | null | undefined
}

/**
 * Has a provider asked, whose reply is checked.
 *
 * @param limitMs - how long it may take
 */
export const askOf =
  (provide: () => unknown, limitMs: number): AskCredentials =>
  async (signal) => {
    let given: unknown
    try {
      given = await withTimeout(Promise.resolve(provide()), limitMs, signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw new Error(`credentials failed: ${toError(cause).message}`, { cause })
    }
    if (given === timedOut) throw new Error(`credentials did not resolve within ${limitMs} ms`)
    return checked(given)
  }

/** The message names no value: it may be a password. */
function checked(given: unknown): RedisCredentials {
  const fields: { username?: unknown; password?: unknown } =
    typeof given === 'object' && given !== null ? given : {}
  const { username, password } = fields
  const isUser = username === undefined || typeof username === 'string'
  if (typeof password === 'string' && password !== '' && isUser) return { username, password }
  const got = kindOf(given) === 'an object' ? wrongField(password, isUser) : kindOf(given)
  throw new Error(`credentials must return { username?, password }, got ${got}`)
}

const wrongField = (password: unknown, isUser: boolean): string =>
  isUser
    ? `${password === '' ? 'an empty string' : kindOf(password)} as password`
    : 'a username that is not a string'

/**
 * Has a connection of ioredis, and those that are duplicated from it, get its credentials before each attempt to connect. ioredis itself copies
 * them once, when the connection is made (5.11.1 and 6.0.0). They are asked for while it counts as connecting, so that commands wait for it.
 *
 * @param retryAfterMs - when a provider is asked again after so many failures; without it the connection ends with the first
 */
export function authenticate<C extends IoredisConnection>(
  connection: C,
  source: CredentialsSource,
  retryAfterMs?: (failures: number) => number,
): C {
  const connector: unknown = Reflect.get(connection, 'connector')
  if (!isConnector(connector)) {
    // Without a provider it logs in as before: with what the options said when it was made.
    if ('current' in source) return connection
    throw new InvalidArgumentError('credentials need ioredis 5 or 6; pass a user and a password in redis')
  }
  const connect = connector.connect.bind(connector)
  const disconnect = connector.disconnect.bind(connector)
  const duplicate = connection.duplicate.bind(connection)
  if ('ask' in source) connection.on('error', noteLogin)
  let ended = new AbortController()
  const loginBy = async (ask: AskCredentials, signal: AbortSignal): Promise<Login> => {
    for (let failures = 1; ; failures++) {
      try {
        return await ask(signal)
      } catch (thrown) {
        signal.throwIfAborted()
        if (!retryAfterMs) throw thrown
        connection.emit('error', toError(thrown))
        await abortablePause(retryAfterMs(failures), [signal])
      }
    }
  }
  connector.connect = async (...args) => {
    ended = new AbortController()
    const { signal } = ended
    logIn(connection, 'ask' in source ? await loginBy(source.ask, signal) : source.current())
    return connect(...args)
  }
  connector.disconnect = () => {
    ended.abort(new Error('Connection is closed.'))
    disconnect()
  }
  connection.duplicate = (override) => authenticate(duplicate(override), source)
  return connection
}

/** What opens the sockets of a connection of ioredis. */
interface Connector {
  connect(...args: unknown[]): Promise<unknown>
  disconnect(): void
}

const isConnector = (given: unknown): given is Connector =>
  typeof given === 'object' && given !== null && 'connect' in given && 'disconnect' in given

/** The attempt that is under way has copied what the options said when it began. */
function logIn(connection: IoredisConnection, login: Login): void {
  const { options } = connection
  if (login.username != null) options.username = login.username
  if (login.password != null) options.password = login.password
  const { username, password } = options
  const condition: unknown = Reflect.get(connection, 'condition')
  if (typeof condition !== 'object' || condition === null) return
  Reflect.set(condition, 'auth', username ? [username, password] : password)
}
