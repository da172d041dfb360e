import type { RedisServer } from '../../server/redis-server.js'

/** SCRIPT FLUSH: the next EVALSHA of each script fails with NOSCRIPT. */
export async function scriptFlush(server: RedisServer): Promise<void> {
  await server.call('SCRIPT', 'FLUSH')
}

/** FLUSHALL: all data is lost, as after a restart without persistence. */
export async function loseData(server: RedisServer): Promise<void> {
  await server.call('FLUSHALL')
}
