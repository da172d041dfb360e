import { MisplacedError, SubscriberHub } from '@holdfast/pubsub'
import type { SubscriberHubOptions } from '@holdfast/pubsub'
import type { EngineHost } from '../engine/host.js'
import type { EngineSession } from '../engine/session.js'
import type { RedisCommands, RedisCommandsOptions } from './commands.js'
import type { Connections } from './connection/connections.js'
import { ScriptConnection } from './connection/script-connection.js'
import { toRedisError, withMeaning } from './errors.js'
import { RedisInbox } from './inbox.js'
import { inboxOf, KeySpace } from './keys.js'
import type { KeySpaceOptions, Keys } from './keys.js'
import type { LatchCalls } from './kinds/latch.js'
import { RedisLatches } from './latches.js'
import { passOn } from './notifications.js'
import { RedisOperator } from './operator.js'
import { Permissions } from './permissions.js'
import { RedisFacts } from './redis-facts.js'
import { RedisRegistry } from './registry.js'
import { Replicas } from './replicas.js'
import { checkServer } from './server-check.js'
import type { Script } from './scripts/script.js'
import { ServerIdentity } from './server-identity.js'

/** What depends on who shares the locks, and on the options. */
export interface RedisSessionOptions extends Pick<KeySpaceOptions, 'prefix' | 'layout'> {
  readonly connections: Connections
  readonly latchCalls: LatchCalls
  /** All that the session runs. */
  readonly scripts: readonly Script[]
  /** Whether others than Holdfast clients use the objects: their keys say too little to be listed. */
  readonly isShared: boolean
  /** Only with `minReplicas`. */
  readonly replicas: {
    readonly connections: Connections
    readonly wanted: number
    readonly timeoutMs: number
  } | null
  openSteps(options: Omit<RedisCommandsOptions, 'calls'>): RedisCommands
}

/** The locks of one client on a Redis server, Sentinel group or Cluster. */
export class RedisSession implements EngineSession {
  readonly store: RedisFacts
  readonly names: KeySpace
  readonly steps: RedisCommands
  readonly inbox: RedisInbox
  readonly registry: RedisRegistry
  readonly latches: RedisLatches
  readonly operator: RedisOperator | undefined
  readonly confirmer: Replicas | undefined
  readonly connection: ScriptConnection
  readonly hub: SubscriberHub
  readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  readonly #host: EngineHost
  readonly #isSingle: boolean
  readonly #servers: ServerIdentity
  readonly #permissions: Permissions
  #checked: Promise<void> | undefined

  constructor(host: EngineHost, options: RedisSessionOptions) {
    const { connections, prefix, layout, latchCalls } = options
    const { keyPrefix, server } = connections
    this.#host = host
    this.connection = new ScriptConnection(connections, {
      timeoutMs: host.commandTimeoutMs,
      patternsFor: (key) => this.names.patternsFor(key),
      onBreak: () => {
        this.#servers.forget()
        host.broken()
      },
      onReconnect: () => {
        host.reconnected()
        // Another server may have answered this time; a subscriber stays where it was.
        this.hub.verify().catch(ignore)
      },
      onError: (error) => host.error(toRedisError(error, server)),
    })
    const { connection } = this
    this.#isSingle = connections.cluster === null
    this.names = new KeySpace({ keyPrefix, prefix, groupOf: (key) => connection.groupOf(key), layout })
    this.#servers = new ServerIdentity(connection)
    this.store = new RedisFacts(server, connection, this.#servers)
    this.hubOptions = {
      pingEveryMs: host.renewEveryMs,
      replyTimeoutMs: connections.connectTimeoutMs,
      onGap: () => host.missed(),
      onDown: (cause: Error) => {
        host.unsubscribed(toRedisError(cause, server))
        if (cause instanceof MisplacedError && cause.count === warnedMisplacements)
          host.warn('SPLIT_CONNECTIONS', splitConnections(server))
      },
      onError: (error) => host.error(toRedisError(error, server)),
    }
    const channel = inboxOf(host.clientId)
    const probe = this.#isSingle ? { channel, isReached: () => this.#isReached() } : undefined
    this.hub = new SubscriberHub({ ...this.hubOptions, probe, connect: () => connections.makeSubscriber() })
    this.registry = new RedisRegistry({
      connection,
      keySpace: this.names,
      host,
      inbox: this.#isSingle ? channel : '',
      hub: this.hub,
    })
    const triedKey = this.names.registry(`${host.clientId}:permissions`)
    this.#permissions = new Permissions(connection, triedKey, options.scripts)
    const common = {
      connection: this.#permissions,
      inbox: channel,
      onNoticeError: (error: string) =>
        host.warn('NOTICE_REFUSED', `Redis rejected a notification: ${withMeaning(error)}`),
    }
    this.steps = options.openSteps(common)
    this.latches = new RedisLatches({ ...common, calls: latchCalls, servers: this.#servers })
    const onMessage = (message: string): void => passOn(message, host)
    this.inbox = new RedisInbox({ channel, hub: this.hub, onMessage })
    if (!options.isShared) this.operator = this.#openOperator(this.#isSingle, common.onNoticeError)
    if (options.replicas) this.confirmer = this.#openReplicas(options.replicas)
  }

  async prepare({ main }: Keys): Promise<void> {
    // Its connection takes as many round trips as that for commands, which has to know the nodes of a cluster first.
    if (this.#isSingle) this.inbox.subscribe().catch(ignore)
    this.#checked = checkServer(
      this.#servers,
      main,
      this.store.name,
      (code, message) => this.#host.warn(code, message),
      () => this.connection.reconnect(main),
    )
    await this.#checked
    const registering = this.registry
      .announce(true)
      .catch((thrown: unknown) => this.#permissions.explain(thrown, this.names.registry(this.#host.clientId)))
    await Promise.all([this.#permissions.lookAtLocks(), registering])
  }

  async close(): Promise<void> {
    await Promise.all([this.hub.close(), this.connection.close(), this.confirmer?.close()])
  }

  /** A server that has not been checked may be none that takes the registration. */
  async #isReached(): Promise<boolean> {
    await this.#checked
    return this.registry.announce()
  }

  #openOperator(countsReceivers: boolean, onNoticeError: (error: string) => void): RedisOperator {
    return new RedisOperator({
      connection: this.connection,
      keySpace: this.names,
      registry: this.registry,
      clientId: this.#host.clientId,
      countsReceivers,
      onNoticeError,
    })
  }

  #openReplicas({ connections, wanted, timeoutMs }: NonNullable<RedisSessionOptions['replicas']>): Replicas {
    const connection = new ScriptConnection(connections, {
      timeoutMs: this.#host.commandTimeoutMs,
      patternsFor: (key) => this.names.patternsFor(key),
      // Holds and waits go by the other connection.
      onBreak: () => undefined,
      onReconnect: () => undefined,
      onError: (error) => this.#host.error(toRedisError(error, connections.server)),
    })
    return new Replicas({ connection, commands: this.steps, servers: this.#servers, wanted, timeoutMs })
  }
}

/** A failover moves both connections within a few attempts. */
const warnedMisplacements = 3

const splitConnections = (server: string): string =>
  `notifications and commands of this client reach different servers through ${server}, so waiting takes longer and is soon rejected: ` +
  'have that address lead to the master alone, or pass the Sentinels'

/** A caller that waits for the subscription gets its error. */
const ignore = (): void => undefined
