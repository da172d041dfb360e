import { startLocalRedis } from '../server/local-redis.js'
import type { RedisServer, StartRedisOptions } from '../server/redis-server.js'
import { until } from '../until.js'
import { localBinary } from './local-binary.js'

/** Starts a replica of that server; resolves when it has caught up and follows. */
export async function startReplica(of: RedisServer, options: StartRedisOptions = {}): Promise<RedisServer> {
  const binary = await localBinary('a replica')
  const args = ['--replicaof', of.host, String(of.port), ...(options.args ?? [])]
  const replica = await startLocalRedis(binary, { ...options, args })
  try {
    await whenFollowing(replica)
    return replica
  } catch (error) {
    await replica.stop()
    throw error
  }
}

/** Resolves when the replica's connection to its master is up. */
export async function whenFollowing(replica: RedisServer): Promise<void> {
  await until(async () => /^master_link_status:up/m.test(String(await replica.call('INFO', 'replication'))), {
    what: `${replica.url} to follow its master`,
  })
}
