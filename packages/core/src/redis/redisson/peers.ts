import type { SubscriberHub, SubscriberHubOptions } from '@holdfast/pubsub'
import type { Connections } from '../connection/connections.js'
import type { ScriptConnection } from '../connection/script-connection.js'
import { asList, numberAt } from '../reply.js'
import { scripts } from '../scripts/generated.js'
import type { RedissonCalls } from './calls.js'
import { ReleaseWatch } from './release-watch.js'
import type { Channels } from './release-watch.js'
import { ShardHubs } from './shard-hubs.js'
import { ShardedConnection } from './sharded-connection.js'

export interface RedissonPeersOptions {
  readonly connections: Connections
  readonly connection: ScriptConnection
  readonly calls: RedissonCalls
  /** Subscribes to plain channels. */
  readonly hub: SubscriberHub
  /** For further hubs that subscribe to sharded channels. */
  readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  /** For how long a channel stays subscribed when no waiter is left. */
  readonly keepMs: number
  /** A Redisson client has freed this lock. */
  onFree(lock: string): void
  /** Release messages of this lock may have been missed. */
  onMissed(lock: string): void
}

/** The Java side of locks that are shared with Redisson: announces releases in its way, and receives its own. */
export class RedissonPeers {
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
    const { connections, connection, calls } = this.#options
    if (this.#isPrepared) return
    if (connections.cluster) {
      const call = { script: scripts.redissonIdentifySharding, keys: [key], args: [] }
      const isSharded = await connection.run(call, (reply) => numberAt(asList(reply), 0) === 1)
      if (isSharded) {
        calls.publish = 'SPUBLISH'
        this.#shards = this.#openShards()
        this.#watch = this.#watchOn(this.#shards)
        connections.cluster.on('refresh', this.relocate)
      }
    }
    this.#isPrepared = true
  }

  isSubscribed(lock: string): boolean {
    return this.#watch.isSubscribed(lock)
  }

  /** Resolves once it is, for a lock that is watched. Rejects when Redis refuses the channel. */
  whenSubscribed(lock: string): Promise<void> {
    return this.#watch.whenSubscribed(lock)
  }

  /** A waiter has come. */
  watch(lock: string): void {
    this.#watch.enter(lock)
  }

  /** A waiter has left. */
  unwatch(lock: string): void {
    this.#watch.leave(lock)
  }

  /** Has subscriptions follow the slots of their locks. */
  readonly relocate = (): void => {
    this.#shards?.relocate()
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#shards?.close()
  }

  #watchOn(channels: Channels): ReleaseWatch {
    return new ReleaseWatch({
      channels,
      keepMs: this.#options.keepMs,
      onFree: (lock) => {
        this.#options.onFree(lock)
      },
    })
  }

  #openShards(): ShardHubs {
    const { connections, connection, hubOptions } = this.#options
    return new ShardHubs({
      ...hubOptions,
      routeOf: (channel) => connection.routeOf(channel),
      connectTo: (route) => new ShardedConnection(connections.makeSubscriber(route)),
      onMoved: (channel) => {
        for (const lock of this.#watch.locksOf(channel)) this.#options.onMissed(lock)
      },
    })
  }
}
