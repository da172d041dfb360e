import { SubscriberHub } from '@holdfast/pubsub'
import type { SubscriberHubOptions } from '@holdfast/pubsub'
import type {
  AcquireReply,
  ClientInfo,
  Inspection,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
} from '../engine/replies.js'
import type { AcquireRequest, QueueEntry, ReleaseRequest, Renewal } from '../engine/requests.js'
import type { EngineHost, EngineSession } from '../engine/session.js'
import { LockCommands } from './commands.js'
import type { Connections } from './connection/connections.js'
import { ScriptConnection } from './connection/script-connection.js'
import { toRedisError } from './errors.js'
import { Inbox } from './inbox.js'
import { inboxOf, KeySpace } from './keys.js'
import type { KeySpaceOptions, LockKeys } from './keys.js'
import type { LockCalls } from './kinds/lock.js'
import { passOn } from './notifications.js'
import { Registry } from './registry.js'
import { Replicas } from './replicas.js'
import { checkServer } from './server-check.js'
import { ServerIdentity } from './server-identity.js'

/** What depends on who shares the locks, and on the options. */
export interface RedisSessionOptions extends Pick<KeySpaceOptions, 'prefix' | 'fenceOf'> {
  readonly connections: Connections
  readonly calls: LockCalls
  /** Only with `minReplicas`. */
  readonly replicas: {
    readonly connections: Connections
    readonly wanted: number
    readonly timeoutMs: number
  } | null
}

/** The locks of one client on a Redis server, Sentinel group or Cluster. */
export class RedisSession implements EngineSession {
  readonly storeName: string
  readonly confirmer: Replicas | undefined
  protected readonly connection: ScriptConnection
  protected readonly hub: SubscriberHub
  protected readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  readonly #host: EngineHost
  readonly #keySpace: KeySpace
  readonly #servers: ServerIdentity
  readonly #commands: LockCommands
  readonly #registry: Registry
  readonly #inbox: Inbox

  constructor(host: EngineHost, options: RedisSessionOptions) {
    const { connections, prefix, fenceOf, calls } = options
    const { keyPrefix, server } = connections
    this.#host = host
    this.storeName = server
    this.connection = new ScriptConnection(connections, {
      timeoutMs: host.commandTimeoutMs,
      onBreak: () => {
        this.#servers.forget()
      },
      onReconnect: () => {
        host.reconnected()
      },
      onError: (error) => {
        host.error(toRedisError(error, server))
      },
    })
    const groupOf = (key: string): string => this.connection.groupOf(key)
    this.#keySpace = new KeySpace({ keyPrefix, prefix, groupOf, fenceOf })
    this.#servers = new ServerIdentity(this.connection)
    this.#registry = new Registry(this.connection, this.#keySpace)
    this.hubOptions = {
      pingEveryMs: host.renewEveryMs,
      onGap: () => {
        host.missed()
      },
      onDown: (cause: Error) => {
        host.unsubscribed(toRedisError(cause, server))
      },
      onError: (error) => {
        host.error(toRedisError(error, server))
      },
    }
    this.hub = new SubscriberHub({ ...this.hubOptions, connect: () => connections.makeSubscriber() })
    const channel = inboxOf(host.clientId)
    this.#commands = new LockCommands({
      connection: this.connection,
      calls,
      inbox: channel,
      onNoticeError: (error) => {
        host.warn('NOTICE_REFUSED', `Redis refused to publish a notification: ${error}`)
      },
    })
    const onMessage = (message: string): void => {
      passOn(message, host, this.#commands)
    }
    this.#inbox = new Inbox({ channel, hub: this.hub, onMessage })
    if (options.replicas) this.confirmer = this.#openReplicas(options.replicas)
  }

  get connectionEpoch(): number {
    return this.connection.epoch
  }

  locate(name: string): LockKeys {
    return this.#keySpace.lock(name)
  }

  resolve(id: string): LockKeys | null {
    return this.#keySpace.ofKey(id)
  }

  async prepare({ lock }: LockKeys): Promise<void> {
    await checkServer(this.#servers, lock, (code, message) => {
      this.#host.warn(code, message)
    })
    await this.#register(this.#inbox.channel)
  }

  acquire(keys: LockKeys, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    return this.#commands.acquire(keys, request, timeoutMs)
  }

  release(keys: LockKeys, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    return this.#commands.release(keys, request, timeoutMs)
  }

  renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return this.#commands.renew(renewals, timeoutMs)
  }

  refresh(
    entries: readonly (QueueEntry & { readonly address: LockKeys })[],
  ): Promise<readonly QueueEntryReply[]> {
    return this.#commands.refresh(entries)
  }

  force(keys: LockKeys, owner: string): Promise<ReleaseReply> {
    return this.#commands.force(keys, owner)
  }

  inspect(keys: LockKeys, limit: number): Promise<Inspection | NotALockReply> {
    return this.#commands.inspect(keys, limit)
  }

  incarnation({ lock }: LockKeys): Promise<string | undefined> {
    return this.#servers.runId(lock)
  }

  knownIncarnation({ lock }: LockKeys): string | null | undefined {
    return this.#servers.known(lock) ?? (this.#servers.isRefused ? null : undefined)
  }

  isSubscribed(_keys: LockKeys): boolean {
    return this.#inbox.isSubscribed
  }

  async subscribe(_keys: LockKeys): Promise<void> {
    await this.#inbox.listen()
  }

  /** Without a test notification: in a cluster every message reaches every node. */
  register(): Promise<void> {
    return this.#register('')
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#registry.find(clientId)
  }

  async close(): Promise<void> {
    await Promise.all([this.hub.close(), this.connection.close(), this.confirmer?.close()])
  }

  /** @param inbox - the channel to test; '' for none */
  async #register(inbox: string): Promise<void> {
    const { clientId, client, watchdogTimeoutMs } = this.#host
    const error = await this.#registry.register(clientId, client, inbox, watchdogTimeoutMs)
    if (error !== '') {
      this.#host.warn('NOTICE_REFUSED', `this Redis user may not publish notifications: ${error}`)
    }
  }

  #openReplicas({ connections, wanted, timeoutMs }: NonNullable<RedisSessionOptions['replicas']>): Replicas {
    const connection = new ScriptConnection(connections, {
      timeoutMs: this.#host.commandTimeoutMs,
      // Holds and waits go by the other connection.
      onBreak: () => undefined,
      onReconnect: () => undefined,
      onError: (error) => {
        this.#host.error(toRedisError(error, connections.server))
      },
    })
    return new Replicas({ connection, commands: this.#commands, servers: this.#servers, wanted, timeoutMs })
  }
}
