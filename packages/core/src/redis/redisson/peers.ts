import type { SubscriberHub, SubscriberHubOptions } from '@holdfast/pubsub'
import type { CommandLink } from '../connection/script-connection.js'
import type { Connections } from '../connection/connections.js'
import { asList, numberAt } from '../reply.js'
import { scripts } from '../scripts/generated.js'
import type { RedissonCalls } from './calls.js'
import { ReleaseWatch } from './release-watch.js'
import type { Watched, Waiters } from './release-watch.js'
import { ShardHubs } from './shard-hubs.js'
import { ShardedConnection } from './sharded-connection.js'

export interface RedissonPeersOptions {
  readonly connections: Connections
  readonly link: CommandLink
  readonly calls: RedissonCalls
  /** Hears plain channels. */
  readonly hub: SubscriberHub
  /** For further hubs that hear sharded channels. */
  readonly hubOptions: Omit<SubscriberHubOptions, 'connect'>
  /** For how long a channel stays subscribed when nobody waits. */
  readonly keepMs: number
  /** Who is woken when one of Redisson's clients frees a lock. */
  readonly waiters: Waiters
}

/** The Java side of locks that are shared with Redisson: tells it of releases in its way, and hears of its own. */
export class RedissonPeers {
  readonly #options: RedissonPeersOptions
  #watch: ReleaseWatch
  #shards: ShardHubs | undefined
  #isPrepared = false

  constructor(options: RedissonPeersOptions) {
    this.#options = options
    this.#watch = new ReleaseWatch(options.hub, options)
  }

  /**
   * Finds out, once, which kind of channel Redisson's clients use here, by the rule that they go by: in a cluster whose
   * nodes know sharded channels those, else plain ones.
   *
   * @param key - leads to a node
   */
  async prepare(key: string): Promise<void> {
    const { connections, link, calls } = this.#options
    if (this.#isPrepared) return
    if (connections.cluster) {
      const call = { script: scripts.redissonIdentifySharding, keys: [key], args: [] }
      const isSharded = await link.run(call, (reply) => numberAt(asList(reply), 0) === 1)
      if (isSharded) {
        calls.publish = 'SPUBLISH'
        this.#shards = this.#openShards()
        this.#watch = new ReleaseWatch(this.#shards, this.#options)
        connections.cluster.on('refresh', this.relocate)
      }
    }
    this.#isPrepared = true
  }

  isHeard(lock: string): boolean {
    return this.#watch.isHeard(lock)
  }

  watch(lock: string): Watched {
    return this.#watch.watch(lock)
  }

  unwatch(watched: Watched): void {
    this.#watch.unwatch(watched)
  }

  claimRelease(watched: Watched): boolean {
    return this.#watch.claimRelease(watched)
  }

  /** Has subscriptions follow the slots of their locks. */
  readonly relocate = (): void => {
    this.#shards?.relocate()
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#shards?.close()
  }

  #openShards(): ShardHubs {
    const { connections, link, hubOptions } = this.#options
    return new ShardHubs({
      ...hubOptions,
      routeOf: (channel) => link.routeOf(channel),
      connectTo: (route) => new ShardedConnection(connections.makeSubscriber(route)),
      onMoved: (channel) => {
        this.#watch.wakeFor(channel)
      },
    })
  }
}
