import type { SubscriberHub, SubscriberHubOptions } from '@holdfast/pubsub'
import type { EngineHost } from '../../engine/host.js'
import type { Inbox } from '../../engine/inbox.js'
import type { Connections } from '../connection/connections.js'
import type { ScriptConnection } from '../connection/script-connection.js'
import { asList, numberAt } from '../reply.js'
import { scripts } from './generated.js'
import type { RedisInbox } from '../inbox.js'
import type { Keys } from '../keys.js'
import type { Publishing } from './publishing.js'
import { ReleaseWatch } from './release-watch.js'
import type { Channels } from './release-watch.js'
import { releasesOf } from './releases.js'
import { ShardHubs } from './shard-hubs.js'
import { ShardedConnection } from './sharded-connection.js'

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
  readonly host: Pick<EngineHost, 'wake' | 'missed' | 'opened'>
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
