import type { RedisServer } from '../server/redis-server.js'

/** Starts servers at the same time. If one fails, stops the others and throws the failure. */
export async function startAll(
  starts: readonly (() => Promise<RedisServer>)[],
): Promise<readonly RedisServer[]> {
  const results = await Promise.allSettled(starts.map((start) => start()))
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return servers
  await stopAll(servers)
  throw failed.reason
}

export async function stopAll(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}
