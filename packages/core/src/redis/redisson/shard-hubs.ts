import {
  SubscriberHub,
  type MessageListener,
  type SubscriberConnection,
  type SubscriberHubOptions,
} from '@holdfast/pubsub'
import type { RedisConnection } from '../connection/types.js'
import { toRedisError } from '../errors.js'

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
export class ShardedConnection implements SubscriberConnection {
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
