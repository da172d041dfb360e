import { SubscriberHub } from '@holdfast/pubsub'
import type { SubscriberHubOptions } from '@holdfast/pubsub'
import type {
  AcquireReply,
  ClientInfo,
  Inspection,
  JointReply,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
  ResizeReply,
  SharedInspection,
} from '../engine/replies.js'
import type { AcquireRequest, ObjectType, ReleaseRequest, ResizeRequest } from '../engine/requests.js'
import type { EngineHost, EngineSession } from '../engine/session.js'
import { RedisCommands } from './commands.js'
import type { CallsByKind } from './commands.js'
import type { Connections } from './connection/connections.js'
import { ScriptConnection } from './connection/script-connection.js'
import { toRedisError } from './errors.js'
import { Inbox } from './inbox.js'
import { inboxOf, KeySpace } from './keys.js'
import type { KeySpaceOptions, Keys } from './keys.js'
import type { RedisJointRequest, RedisQueueEntry, RedisRenewal } from './kinds/calls.js'
import type { LatchCalls } from './kinds/latch.js'
import { RedisLatches } from './latches.js'
import { passOn } from './notifications.js'
import { RedisOperator } from './operator.js'
import { Permissions } from './permissions.js'
import { Registry } from './registry.js'
import { Replicas } from './replicas.js'
import { checkServer } from './server-check.js'
import { ServerIdentity } from './server-identity.js'

/** What depends on who shares the locks, and on the options. */
export interface RedisSessionOptions extends Pick<KeySpaceOptions, 'prefix' | 'layout'> {
  readonly connections: Connections
  readonly calls: CallsByKind
  readonly latchCalls: LatchCalls
  /** Whether objects can be listed, whose keys are those of the native layout then. */
  readonly canList: boolean
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
  readonly acquireMany?: (request: RedisJointRequest, timeoutMs: number) => Promise<JointReply>
  readonly latches: RedisLatches
  protected readonly connection: ScriptConnection
  protected readonly hub: SubscriberHub
  protected readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  readonly #host: EngineHost
  readonly #keySpace: KeySpace
  readonly #servers: ServerIdentity
  readonly #commands: RedisCommands
  readonly operator: RedisOperator | undefined
  readonly #registry: Registry
  readonly #permissions: Permissions
  readonly #inbox: Inbox

  constructor(host: EngineHost, options: RedisSessionOptions) {
    const { connections, prefix, layout, calls, latchCalls } = options
    const { keyPrefix, server } = connections
    this.#host = host
    this.storeName = server
    this.connection = new ScriptConnection(connections, {
      timeoutMs: host.commandTimeoutMs,
      onBreak: () => {
        this.#servers.forget()
        host.broken()
      },
      onReconnect: () => {
        host.reconnected()
      },
      onError: (error) => {
        host.error(toRedisError(error, server))
      },
    })
    const groupOf = (key: string): string => this.connection.groupOf(key)
    this.#keySpace = new KeySpace({ keyPrefix, prefix, groupOf, layout })
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
    const triedKey = this.#keySpace.registry(`${host.clientId}:permissions`)
    this.#permissions = new Permissions(this.connection, triedKey)
    const common = {
      connection: this.#permissions,
      inbox: channel,
      onNoticeError: (error: string) => {
        host.warn('NOTICE_REFUSED', `Redis refused to publish a notification: ${error}`)
      },
    }
    this.#commands = new RedisCommands({ ...common, calls })
    this.latches = new RedisLatches({ ...common, calls: latchCalls, servers: this.#servers })
    const onMessage = (message: string): void => {
      passOn(message, host)
    }
    this.#inbox = new Inbox({ channel, hub: this.hub, onMessage })
    if (options.canList)
      this.operator = this.#openOperator(connections.cluster === null, common.onNoticeError)
    const commands = this.#commands
    if (commands.canAcquireMany) {
      this.acquireMany = (request, timeoutMs) => commands.acquireMany(request, timeoutMs)
    }
    if (options.replicas) this.confirmer = this.#openReplicas(options.replicas)
  }

  get connectionEpoch(): number {
    return this.connection.epoch
  }

  locate(name: string, object: ObjectType, form?: string): Keys {
    return this.#keySpace.keysOf(name, object, form)
  }

  resolve(id: string): Keys | null {
    return this.#keySpace.ofKey(id)
  }

  async prepare({ main }: Keys): Promise<void> {
    await checkServer(this.#servers, main, this.storeName, (code, message) => {
      this.#host.warn(code, message)
    })
    await Promise.all([this.#permissions.lookAtLocks(), this.#register(this.#inbox.channel)])
  }

  acquire(keys: Keys, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
    return this.#commands.acquire(keys, request, timeoutMs)
  }

  release(keys: Keys, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    return this.#commands.release(keys, request, timeoutMs)
  }

  renew(renewals: readonly RedisRenewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    return this.#commands.renew(renewals, timeoutMs)
  }

  refresh(entries: readonly RedisQueueEntry[]): Promise<readonly QueueEntryReply[]> {
    return this.#commands.refresh(entries)
  }

  force(keys: Keys, owner: string): Promise<ReleaseReply> {
    return this.#commands.force(keys, owner)
  }

  resize(keys: Keys, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply | NotALockReply> {
    return this.#commands.resize(keys, request, timeoutMs)
  }

  inspect(keys: Keys, limit: number): Promise<Inspection | SharedInspection | NotALockReply> {
    return this.#commands.inspect(keys, limit)
  }

  incarnation({ main }: Keys): Promise<string | undefined> {
    return this.#servers.runId(main)
  }

  knownIncarnation({ main }: Keys): string | null | undefined {
    return this.#servers.known(main) ?? (this.#servers.isRefused ? null : undefined)
  }

  async uptimeMs({ main }: Keys): Promise<number | undefined> {
    return (await this.#servers.read(main)).uptimeMs
  }

  raiseToken(keys: Keys, token: number, keepMs: number): Promise<void> {
    return this.#commands.raiseToken(keys, token, keepMs)
  }

  noteToken(keys: Keys, token: number): void {
    this.#commands.sawToken(keys, token)
  }

  isSubscribed(_keys: Keys): boolean {
    return this.#inbox.isSubscribed
  }

  async subscribe(_keys: Keys): Promise<void> {
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

  #openOperator(countsReceivers: boolean, onNoticeError: (error: string) => void): RedisOperator {
    return new RedisOperator({
      connection: this.connection,
      keySpace: this.#keySpace,
      registry: this.#registry,
      clientId: this.#host.clientId,
      countsReceivers,
      onNoticeError,
    })
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
