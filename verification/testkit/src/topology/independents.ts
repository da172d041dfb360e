import type { RedisServer, StartRedisOptions } from '../server/redis-server.js'
import { startRedis } from '../server/start-redis.js'
import { startAll, stopAll } from './several.js'

/** Servers that know nothing of each other, as for a quorum lock. */
export interface IndependentServers extends AsyncDisposable {
  readonly servers: readonly RedisServer[]
  /** Stops all servers permanently. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts that many masters without replicas (default 5). */
export async function startIndependents(
  count = 5,
  options: Omit<StartRedisOptions, 'port'> = {},
): Promise<IndependentServers> {
  const servers = await startAll(Array.from({ length: count }, () => () => startRedis(options)))
  const stop = () => stopAll(servers)
  return { servers, stop, [Symbol.asyncDispose]: stop }
}
