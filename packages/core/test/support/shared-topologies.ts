import { withRedis, type RedisCluster, type RedisServer } from '@holdfast/testkit'
import { Cluster } from 'ioredis'
import type { Holdfast } from '../../src/index.js'
import { LockInRedis } from './lock-in-redis.js'
import { openShared, type SharedOptions } from './open-shared.js'
import { OtherOwner } from './other-owner.js'
import { releaseChannel, type Publish } from './redisson-channels.js'

/** Where locks are shared with Redisson: how its releases are published, and how to open a client. */
export interface SharedTopology {
  readonly publish: Publish
  readonly open: (options?: SharedOptions) => Holdfast
  /** The server that has the lock. */
  readonly home: (name: string) => Promise<RedisServer>
}

export const onServer = (server: () => RedisServer): SharedTopology => ({
  publish: 'PUBLISH',
  open: (options = {}) => openShared(server().url, options),
  home: () => Promise.resolve(server()),
})

export const inCluster = (cluster: () => RedisCluster): SharedTopology => ({
  publish: 'SPUBLISH',
  open(options = {}) {
    const template = new Cluster([...cluster().startupNodes], { lazyConnect: true })
    return openShared(template, options)
  },
  home: (name) => cluster().masterOf(name),
})

/** Another owner of that lock, at the server that has it. */
export const otherOwnerIn = async ({ home, publish }: SharedTopology, lock: string): Promise<OtherOwner> =>
  new OtherOwner(await home(lock), publish)

/** Subscribers to Redisson's channel of the lock. */
export async function listenersIn({ home, publish }: SharedTopology, lock: string): Promise<number> {
  const server = await home(lock)
  const count = publish === 'SPUBLISH' ? 'SHARDNUMSUB' : 'NUMSUB'
  const reply = await server.call('PUBSUB', count, releaseChannel(lock))
  return Array.isArray(reply) ? Number(reply[1]) : NaN
}

/** Resolves when that many are queued, which they are only once they are subscribed to releases. */
export async function untilQueuedIn({ home }: SharedTopology, lock: string, count: number): Promise<void> {
  const { url } = await home(lock)
  await withRedis(url, (redis) => new LockInRedis(redis, lock, '').untilQueued(count))
}
