import {
  SubscriberHub,
  type MessageListener,
  type SubscriberConnection,
  type SubscriberHubOptions,
} from '@holdfast/pubsub'
import type { EngineHost, Inbox } from '../../engine/session.js'
import type { Connections } from '../connection/connections.js'
import type { ScriptConnection } from '../connection/script-connection.js'
import type { RedisConnection } from '../connection/types.js'
import { asList, numberAt, toRedisError } from '../errors.js'
import type { Keys, Kind } from '../keys.js'
import type { RedisInbox } from '../session.js'
import {
  latchChannelOf,
  permitsChannelOf,
  readWriteChannelOf,
  releaseChannelOf,
  type Publishing,
} from './calls.js'
import { scripts } from './generated.js'

export interface RedissonPeersOptions {
  readonly connections: Connections
  readonly connection: ScriptConnection
  readonly publishing: Publishing
  /** Of the client itself. */
  readonly inbox: RedisInbox
  /** Subscribes to plain channels. */
  readonly hub: SubscriberHub
  /** For further hubs that subscribe to sharded channels. */
  readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  /** For how long a channel stays subscribed when no waiter is left. */
  readonly keepMs: number
  readonly host: EngineHost
}

/** The Java side of objects that are shared with Redisson: announces releases in its way, and has waiters receive its own as well. */
export class RedissonPeers implements Inbox {
  readonly #options: RedissonPeersOptions
  #watch: ReleaseWatch
  #shards: ShardHubs | undefined
  #isPrepared = false

  constructor(options: RedissonPeersOptions) {
    this.#options = options
    this.#watch = this.#watchOn(options.hub)
  }

  /**
   * Finds out, once, which kind of channel Redisson's clients use here, by their own rule: sharded channels in a cluster
   * whose nodes support them, plain ones otherwise.
   *
   * @param key - leads to a node
   */
  async prepare(key: string): Promise<void> {
    const { connections, connection, publishing } = this.#options
    if (this.#isPrepared) return
    if (connections.cluster) {
      const call = { script: scripts.redissonIdentifySharding, keys: [key], args: [] }
      const isSharded = await connection.run(call, (reply) => numberAt(asList(reply), 0) === 1)
      if (isSharded) {
        publishing.command = 'SPUBLISH'
        this.#shards = this.#openShards()
        this.#watch = this.#watchOn(this.#shards)
        connections.cluster.on('refresh', this.relocate)
      }
    }
    this.#isPrepared = true
  }

  isSubscribed(keys: Keys): boolean {
    return this.#options.inbox.isSubscribed() && this.#watch.isSubscribed(keys)
  }

  /** Resolves once it is, for an object that is watched. Rejects when Redis refuses the channel. */
  async subscribe(keys: Keys): Promise<void> {
    await Promise.all([this.#options.inbox.subscribe(), this.#watch.whenSubscribed(keys)])
  }

  /** A waiter has come. */
  watch(keys: Keys): void {
    this.#watch.enter(keys)
  }

  /** A waiter has left. */
  unwatch(keys: Keys): void {
    this.#watch.leave(keys)
  }

  /** Has subscriptions follow the slots of their objects. */
  readonly relocate = (): void => this.#shards?.relocate()

  async close(): Promise<void> {
    this.#watch.close()
    await this.#shards?.close()
  }

  #watchOn(channels: Channels): ReleaseWatch {
    return new ReleaseWatch({
      channels,
      keepMs: this.#options.keepMs,
      onMessage: (keys, message) => releasesOf(keys).onMessage(keys.id, message, this.#options.host),
    })
  }

  #openShards(): ShardHubs {
    const { connections, connection, hubOptions } = this.#options
    return new ShardHubs({
      ...hubOptions,
      routeOf: (channel) => connection.routeOf(channel),
      connectTo: (route) => new ShardedConnection(connections.makeSubscriber(route)),
      onMoved: (channel) => {
        for (const id of this.#watch.idsOf(channel)) this.#options.host.missed(id)
      },
    })
  }
}

/** How releases of one kind of object are announced among Redisson's clients. */
export interface Releases {
  /** @param main - the key of the object */
  channelOf(main: string): string
  /** Has those request again that the message concerns. Others of Redisson's messages may arrive, which mean nothing here. */
  onMessage(id: string, message: string, host: EngineHost): void
}

/** What is published when a lock is free. Redisson's clients read integers, and fail at anything else. */
const freeMessage = '0'

const lockReleases: Releases = {
  channelOf: releaseChannelOf,
  onMessage: (id, message, host) => {
    if (message === freeMessage) host.wake(id)
  },
}

/** The first waiter requests; as long as permits are left, each that gets some has the next one request. */
const permitReleases: Releases = {
  channelOf: permitsChannelOf,
  onMessage: (id, message, host) => {
    if (Number(message) > 0) host.wake(id)
  },
}

/** What is published when a latch has opened. A new count, or a deleted one, is '1'. */
const openMessage = '0'

/** Of those that wait for one opening, the first one finds out for all. */
const latchReleases: Releases = {
  channelOf: latchChannelOf,
  onMessage: (id, message, host) => {
    if (message === openMessage) host.wake(id)
    else host.missed(id)
  },
}

/** '0' when the last reader has left, '1' when a writer has. After either both sides may have a chance. */
const readWriteReleases: Releases = {
  channelOf: readWriteChannelOf,
  onMessage: (id, message, host) => {
    if (message === '0' || message === '1') host.wake(id)
  },
}

const releasesByKind: Readonly<Partial<Record<Kind, Releases>>> = {
  lock: lockReleases,
  semaphore: permitReleases,
  permits: permitReleases,
  latch: latchReleases,
  'read-write-lock': readWriteReleases,
}

/** Those of the object with these keys. */
function releasesOf({ kind, main }: Keys): Releases {
  const releases = releasesByKind[kind]
  if (!releases) throw new TypeError(`${main} belongs to an object whose releases Redisson does not announce`)
  return releases
}

/** The channel on which releases of the object with these keys are announced. */
const channelOf = (keys: Keys): string => releasesOf(keys).channelOf(keys.main)

/** Where channels are subscribed. */
export type Channels = Pick<SubscriberHub, 'subscribe' | 'unsubscribe' | 'isSubscribed'>

export interface ReleaseWatchOptions {
  readonly channels: Channels
  /** For how long a channel stays subscribed when no waiter is left. */
  readonly keepMs: number
  /** A message arrived on the channel of this object. */
  onMessage(keys: Keys, message: string): void
}

interface Watched {
  readonly keys: Keys
  waiters: number
  /** `undefined` when Redis refused the subscription: the next waiter tries again. */
  confirmed: Promise<void> | undefined
  endTimer: NodeJS.Timeout | undefined
}

/**
 * Receives Redisson's release messages of objects that are waited for here.
 *
 * An object's channel is subscribed when the first waiter comes, and for a while after the last one has left: what is waited
 * for once usually is again, and each new subscription costs its first waiter another request.
 */
export class ReleaseWatch {
  readonly #options: ReleaseWatchOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: ReleaseWatchOptions) {
    this.#options = options
  }

  /** Whether release messages of this object arrive now, as far as is known. */
  isSubscribed(keys: Keys): boolean {
    return this.#options.channels.isSubscribed(channelOf(keys))
  }

  /** Resolves once they do, for an object that is watched; keeps trying during outages, rejects when Redis refuses. */
  async whenSubscribed({ id }: Keys): Promise<void> {
    await this.#watched.get(id)?.confirmed
  }

  /** A waiter has come. */
  enter(keys: Keys): void {
    const { id } = keys
    const watched = this.#watched.get(id) ?? { keys, waiters: 0, confirmed: undefined, endTimer: undefined }
    this.#watched.set(id, watched)
    clearTimeout(watched.endTimer)
    watched.waiters++
    watched.confirmed ??= this.#subscribe(watched)
  }

  /** A waiter has left; the subscription ends some time after the last one. */
  leave({ id }: Keys): void {
    const watched = this.#watched.get(id)
    if (watched && --watched.waiters === 0) this.#endLater(watched)
  }

  /** The ids of those whose releases are announced on this channel. */
  idsOf(channel: string): string[] {
    return this.#sharing(channel).map(({ keys: { id } }) => id)
  }

  /** The owner of the channels ends the subscriptions. */
  close(): void {
    for (const { endTimer } of this.#watched.values()) clearTimeout(endTimer)
    this.#watched.clear()
  }

  /** `t` and `{t}` are two objects with one channel. */
  #sharing(channel: string): Watched[] {
    return [...this.#watched.values()].filter(({ keys }) => channelOf(keys) === channel)
  }

  #endLater(watched: Watched): void {
    watched.endTimer = setTimeout(() => {
      const channel = channelOf(watched.keys)
      const sharing = this.#sharing(channel)
      if (sharing.some(({ waiters }) => waiters > 0)) {
        this.#endLater(watched)
        return
      }
      for (const { keys, endTimer } of sharing) {
        clearTimeout(endTimer)
        this.#watched.delete(keys.id)
      }
      void this.#options.channels.unsubscribe(channel)
    }, this.#options.keepMs)
    // This timer must not keep the process alive.
    watched.endTimer.unref()
  }

  #subscribe(watched: Watched): Promise<void> {
    const { keys } = watched
    const subscribed = this.#options.channels.subscribe(channelOf(keys), (message) =>
      this.#options.onMessage(keys, message),
    )
    const confirmed = subscribed.catch((error: unknown) => {
      watched.confirmed = undefined
      throw toRedisError(error)
    })
    // Those that wait for it receive the error.
    confirmed.catch(() => undefined)
    return confirmed
  }
}

export interface ShardHubsOptions extends Omit<SubscriberHubOptions, 'connect'> {
  /** The master that owns a key or channel, as far as is known. */
  routeOf(channel: string): string
  connectTo(route: string): SubscriberConnection
  /** The channel moved to another node; messages may have been missed. */
  onMoved(channel: string): void
}

interface Home {
  readonly listener: MessageListener
  route: string
  moving: Promise<void> | undefined
}

/** Sharded channels of a cluster: each is subscribed at the master of its slot, over one connection per master. */
export class ShardHubs {
  readonly #options: ShardHubsOptions
  readonly #hubs = new Map<string, SubscriberHub>()
  readonly #homes = new Map<string, Home>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: ShardHubsOptions) {
    this.#options = options
  }

  isSubscribed(channel: string): boolean {
    const home = this.#homes.get(channel)
    return home !== undefined && (this.#hubs.get(home.route)?.isSubscribed(channel) ?? false)
  }

  /** As `SubscriberHub.subscribe`, wherever the channel moves in the meantime. At most one listener per channel. */
  async subscribe(channel: string, listener: MessageListener): Promise<void> {
    const home = { listener, route: this.#options.routeOf(channel), moving: undefined }
    this.#homes.set(channel, home)
    await this.#moveIn(channel, home)
  }

  async unsubscribe(channel: string): Promise<void> {
    const home = this.#homes.get(channel)
    if (!home) return
    this.#homes.delete(channel)
    await this.#moveOut(channel, home.route)
  }

  /** Other masters may own some slots now: has their channels follow. */
  relocate(): void {
    for (const [channel, home] of this.#homes) {
      const from = home.route
      const to = this.#options.routeOf(channel)
      if (to === from) continue
      home.route = to
      void this.#moveOut(channel, from)
      home.moving = this.#moveIn(channel, home)
      home.moving.then(
        () => this.#options.onMoved(channel),
        (error: unknown) => this.#options.onError?.(toRedisError(error)),
      )
    }
  }

  /** Resolves when no timer and no socket is left. */
  async close(): Promise<void> {
    this.#homes.clear()
    for (const route of this.#hubs.keys()) this.#retire(route)
    await Promise.all(this.#closing)
  }

  async #moveIn(channel: string, home: Home): Promise<void> {
    const { route, listener } = home
    try {
      await this.#hubAt(route).subscribe(channel, listener)
    } catch (error) {
      if (home.route === route || this.#homes.get(channel) !== home) throw error
      await home.moving
    }
  }

  async #moveOut(channel: string, route: string): Promise<void> {
    const hub = this.#hubs.get(route)
    const left = hub?.unsubscribe(channel)
    if (![...this.#homes.values()].some((home) => home.route === route)) this.#retire(route)
    await left
  }

  #hubAt(route: string): SubscriberHub {
    const known = this.#hubs.get(route)
    if (known) return known
    const hub = new SubscriberHub({ ...this.#options, connect: () => this.#options.connectTo(route) })
    this.#hubs.set(route, hub)
    return hub
  }

  #retire(route: string): void {
    const hub = this.#hubs.get(route)
    if (!hub) return
    this.#hubs.delete(route)
    const closed = hub.close().finally(() => this.#closing.delete(closed))
    this.#closing.add(closed)
  }
}

type Listening =
  | [event: 'message', listener: (channel: string, message: string) => void]
  | [event: 'error', listener: (error: Error) => void]
  | [event: 'close' | 'end', listener: () => void]

/** A connection to one node of a cluster, on which a hub subscribes to sharded channels as if they were plain ones. */
class ShardedConnection implements SubscriberConnection {
  readonly #connection: RedisConnection

  constructor(connection: RedisConnection) {
    this.#connection = connection
    // A slot has left the node, and its channels with it. After a reconnect it turns out which still belong here.
    connection.on('moved', () => connection.disconnect())
  }

  get status(): string {
    return this.#connection.status
  }

  get stream(): { destroy(): unknown } {
    const connection = this.#connection
    return { destroy: () => connection.stream?.destroy() }
  }

  connect(): Promise<void> {
    return this.#connection.connect()
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#connection.ssubscribe(channel)
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#connection.sunsubscribe(channel)
  }

  ping(): Promise<unknown> {
    return this.#connection.ping()
  }

  disconnect(): void {
    this.#connection.disconnect()
  }

  on(...[event, listener]: Listening): unknown {
    const connection = this.#connection
    switch (event) {
      case 'message':
        return connection.on('smessage', listener)
      case 'error':
        return connection.on(event, listener)
      default:
        return connection.on(event, listener)
    }
  }
}
