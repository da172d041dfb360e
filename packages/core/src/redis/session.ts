import { MisplacedError, SubscriberHub, type SubscriberHubOptions } from '@holdfast/pubsub'
import type { EngineHost, EngineSession, Inbox, Registry, OperatorSession } from '../engine/session.js'
import type { LatchSession } from '../engine/latch.js'
import type { ClientInfo } from '../engine/requests.js'
import type { RedisCommands, RedisCommandsOptions } from './commands.js'
import type { Connections } from './connection/connections.js'
import { ScriptConnection } from './connection/script-connection.js'
import { toRedisError, withMeaning, asList, numberAt } from './errors.js'
import { inboxOf, KeySpace, type Keys, type KeySpaceOptions } from './keys.js'
import { Permissions, checkServer, RedisFacts, ServerIdentity } from './server-identity.js'
import { Replicas } from './replicas.js'
import { lockScripts } from './scripts/generated.js'
import type { Script } from './scripts/script.js'

/** What depends on who shares the locks, and on the options. */
export interface RedisSessionOptions extends Pick<KeySpaceOptions, 'prefix' | 'layout'> {
  readonly connections: Connections
  /** All that the session runs, but for what it is to carry. */
  readonly scripts: readonly Script[]
  /** Only with `minReplicas`. */
  readonly replicas: {
    readonly connections: Connections
    readonly wanted: number
    readonly timeoutMs: number
  } | null
  openSteps(options: Omit<RedisCommandsOptions, 'calls'>): RedisCommands
}

/** The steps of one kind of object, which that object brings along, so that programs without it do not have them. */
export class CarriedSteps {
  constructor(
    readonly scripts: Readonly<Record<string, Script>>,
    readonly addTo: (session: RedisSession) => void,
  ) {}
}

/** The locks of one client on a Redis server, Sentinel group or Cluster. */
export class RedisSession implements EngineSession {
  readonly store: RedisFacts
  readonly names: KeySpace
  readonly steps: RedisCommands
  readonly inbox: RedisInbox
  readonly registry: RedisRegistry
  latches: LatchSession | undefined
  operator: OperatorSession | undefined
  readonly confirmer: Replicas | undefined
  readonly connection: ScriptConnection
  readonly hub: SubscriberHub
  readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  readonly clientId: string
  readonly channel: string
  readonly isSingle: boolean
  readonly servers: ServerIdentity
  readonly permitted: Permissions
  readonly #host: EngineHost
  readonly #carried = new Set<CarriedSteps>()
  #checked: Promise<void> | undefined

  constructor(host: EngineHost, options: RedisSessionOptions) {
    const { connections, prefix, layout } = options
    const { keyPrefix, server } = connections
    this.#host = host
    this.clientId = host.clientId
    this.channel = inboxOf(host.clientId)
    this.connection = new ScriptConnection(connections, {
      timeoutMs: host.commandTimeoutMs,
      patternsFor: (key) => this.names.patternsFor(key),
      onBreak: () => {
        this.servers.forget()
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
    this.isSingle = connections.cluster === null
    this.names = new KeySpace({ keyPrefix, prefix, groupOf: (key) => connection.groupOf(key), layout })
    this.servers = new ServerIdentity(connection)
    this.store = new RedisFacts(server, connection, this.servers)
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
    const { channel } = this
    const probe = this.isSingle ? { channel, isReached: () => this.#isReached() } : undefined
    this.hub = new SubscriberHub({ ...this.hubOptions, probe, connect: () => connections.makeSubscriber() })
    this.registry = new RedisRegistry({
      connection,
      keySpace: this.names,
      host,
      inbox: this.isSingle ? channel : '',
      hub: this.hub,
    })
    const triedKey = this.names.registry(`${host.clientId}:permissions`)
    this.permitted = new Permissions(connection, triedKey, options.scripts)
    this.steps = options.openSteps({
      connection: this.permitted,
      inbox: channel,
      onNoticeError: (error) => this.onNoticeError(error),
    })
    const onMessage = (message: string): void => passOn(message, host)
    this.inbox = new RedisInbox({ channel, hub: this.hub, onMessage })
    if (options.replicas) this.confirmer = this.#openReplicas(options.replicas)
  }

  async prepare({ main }: Keys): Promise<void> {
    // Its connection takes as many round trips as that for commands, which has to know the nodes of a cluster first.
    if (this.isSingle) this.inbox.subscribe().catch(ignore)
    this.#checked = checkServer(
      this.servers,
      main,
      this.store.name,
      (code, message) => this.#host.warn(code, message),
      () => this.connection.reconnect(main),
    )
    await this.#checked
    const registering = this.registry
      .announce(true)
      .catch((thrown: unknown) => this.permitted.explain(thrown, this.names.registry(this.#host.clientId)))
    await Promise.all([this.permitted.lookAtLocks(), registering])
  }

  /** Ignores what is not for Redis. */
  carry(steps: unknown): void {
    if (!(steps instanceof CarriedSteps) || this.#carried.has(steps)) return
    this.#carried.add(steps)
    this.permitted.add(Object.values(steps.scripts))
    steps.addTo(this)
  }

  onNoticeError(error: string): void {
    this.#host.warn('NOTICE_REFUSED', `Redis rejected a notification: ${withMeaning(error)}`)
  }

  async close(): Promise<void> {
    await Promise.all([this.hub.close(), this.connection.close(), this.confirmer?.close()])
  }

  /** A server that has not been checked may be none that takes the registration. */
  async #isReached(): Promise<boolean> {
    await this.#checked
    return this.registry.announce()
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
    return new Replicas({ connection, commands: this.steps, servers: this.servers, wanted, timeoutMs })
  }
}

/** A failover moves both connections within a few attempts. */
const warnedMisplacements = 3

const splitConnections = (server: string): string =>
  `notifications and commands of this client reach different servers through ${server}, so waiting takes longer and is soon rejected: ` +
  'have that address lead to the master alone, or pass the Sentinels'

/** A caller that waits for the subscription gets its error. */
const ignore = (): void => undefined

export interface RedisInboxOptions {
  readonly channel: string
  readonly hub: SubscriberHub
  onMessage(message: string): void
}

/** The one channel on which this client is notified of grants and evictions, for all its locks and all its life. */
export class RedisInbox implements Inbox {
  readonly channel: string
  readonly #options: RedisInboxOptions
  #listening: Promise<void> | undefined

  constructor(options: RedisInboxOptions) {
    this.channel = options.channel
    this.#options = options
  }

  /** Whether Redis would deliver a notification now, as far as is known. */
  isSubscribed(): boolean {
    return this.#options.hub.isSubscribed(this.channel)
  }

  /** Resolves once the inbox is subscribed; keeps trying during outages. Rejects when Redis refuses it; a later call tries again. */
  async subscribe(): Promise<void> {
    this.#listening ??= this.#subscribe()
    await this.#listening
    if (this.isSubscribed()) return
    try {
      await this.#options.hub.whenSubscribed(this.channel)
    } catch (error) {
      throw toRedisError(error)
    }
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#options.hub.subscribe(this.channel, (message) => this.#options.onMessage(message))
    } catch (error) {
      this.#listening = undefined
      throw toRedisError(error)
    }
  }
}

export interface RedisRegistryOptions {
  readonly connection: Pick<ScriptConnection, 'run' | 'readHash'>
  readonly keySpace: KeySpace
  readonly host: Pick<EngineHost, 'clientId' | 'client' | 'watchdogTimeoutMs' | 'warn'>
  /** The client's channel; '' in a cluster, where every message reaches every node. */
  readonly inbox: string
  readonly hub: Pick<SubscriberHub, 'verify'>
}

/**
 * The registrations of clients in Redis, by which an operator can find the process behind an owner. Registering writes, so that only a
 * master carries it out, and says whether that master knows the client's subscription.
 */
export class RedisRegistry implements Registry {
  readonly #options: RedisRegistryOptions

  constructor(options: RedisRegistryOptions) {
    this.#options = options
  }

  /** Also has the subscriber's connection replaced if it leads to another server. */
  async register(): Promise<void> {
    const { hub, inbox } = this.#options
    await (inbox === '' ? this.announce() : hub.verify())
  }

  /**
   * Whether a message that is published at the server for commands would reach this client, as far as that can be known.
   *
   * @param isTested - warns if Redis would refuse to publish to the inbox
   */
  async announce(isTested = false): Promise<boolean> {
    const { connection, keySpace, host: client, inbox } = this.#options
    const { host, pid, label, startedAt } = client.client
    const fields = ['host', host, 'pid', pid, 'label', label, 'startedAt', startedAt.getTime()]
    const call = {
      script: lockScripts.clientRegister,
      keys: [keySpace.registry(client.clientId)],
      args: [client.watchdogTimeoutMs, inbox, isTested ? 1 : 0, ...fields],
    }
    const [subscribers, error] = await connection.run(call, (reply) => {
      const list = asList(reply)
      return [numberAt(list, 0), String(list[1])] as const
    })
    if (error !== '')
      client.warn('NOTICE_REFUSED', `this Redis user may not publish notifications: ${withMeaning(error)}`)
    return subscribers !== 0
  }

  /** What a client registered with; `null` when its registration has expired. */
  async find(clientId: string): Promise<ClientInfo | null> {
    const { connection, keySpace } = this.#options
    const fields = await connection.readHash(keySpace.registry(clientId))
    const { host, pid, label, startedAt } = fields
    if (host === undefined) return null
    return { host, pid: Number(pid), label: label ?? '', startedAt: new Date(Number(startedAt)) }
  }
}

/**
 * Passes a message as the scripts write it on to the client, and ignores anything else. Anyone may publish, and a number that one cannot
 * count on from would be the last token of every lock.
 */
export function passOn(message: string, host: EngineHost): void {
  const [, kind = '', said = ''] = /^(granted|entered|open|gone|revoked|free|told) (.*)$/s.exec(message) ?? []
  switch (kind) {
    case 'granted':
      passOnGrant(said, host)
      return
    case 'entered':
      passOnGrants(said, host)
      return
    case 'told':
      // What another client has to say.
      host.onMessage(said)
      return
    case 'open':
    case 'gone': {
      const [, generation, latch] = /^(\d+) (.+)$/s.exec(said) ?? []
      if (latch === undefined) return
      if (kind === 'open') host.opened(latch, Number(generation))
      else host.missed(latch)
      return
    }
    case 'revoked':
    case 'free': {
      const [, owner, lock] = /^(\S+) (.+)$/s.exec(said) ?? []
      if (owner === undefined || lock === undefined) return
      if (kind === 'revoked') host.revoked(owner)
      // It is this owner's turn to request a free lock that it was not granted.
      else host.wake(lock, owner)
    }
  }
}

function passOnGrant(said: string, host: EngineHost): void {
  const [, owner = '', proof = '', ofToken, ofServer, ofLease, lock] =
    /^(\S+) (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(said) ?? []
  const [token, serverUs, leaseMs] = [Number(ofToken), Number(ofServer), Number(ofLease)]
  if (lock !== undefined && areExact(token, serverUs, leaseMs))
    host.granted(lock, owner, { proof, token, serverUs, leaseMs })
}

/** Owners of one client entered an object that several hold at once, in one step and with one token. */
function passOnGrants(said: string, host: EngineHost): void {
  const [, ofToken, ofServer, owners = '', main] = /^(\d+) (\d+) (\S+:\d+:[^\s:]+) (.+)$/s.exec(said) ?? []
  const [token, serverUs] = [Number(ofToken), Number(ofServer)]
  if (main === undefined || !areExact(token, serverUs)) return
  for (const text of owners.split(',')) {
    // `<owner>:<leaseMs>:<proof>`; an owner has a colon of its own.
    const leaseEnd = text.lastIndexOf(':')
    const end = text.lastIndexOf(':', leaseEnd - 1)
    const leaseMs = Number(text.slice(end + 1, leaseEnd))
    host.granted(main, text.slice(0, end), { proof: text.slice(leaseEnd + 1), token, serverUs, leaseMs })
  }
}

const areExact = (...numbers: readonly number[]): boolean => numbers.every(Number.isSafeInteger)
