import type { RedisServer } from '../../server/redis-server.js'

/** SCRIPT FLUSH: the next EVALSHA of each script is answered with NOSCRIPT. */
export async function scriptFlush(server: RedisServer): Promise<void> {
  await server.call('SCRIPT', 'FLUSH')
}

/** FLUSHALL: all data is gone, as after the restart of a server that saves nothing. */
export async function loseData(server: RedisServer): Promise<void> {
  await server.call('FLUSHALL')
}
