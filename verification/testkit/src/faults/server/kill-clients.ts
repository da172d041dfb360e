import type { RedisServer } from '../../server/redis-server.js'

/** Connection types of CLIENT KILL; a subscribed connection is no longer `normal`. */
export type ClientKind = 'normal' | 'pubsub'

/** CLIENT KILL: the server closes every connection of these kinds (default: both). Resolves with their number. */
export async function killClients(
  server: RedisServer,
  kinds: readonly ClientKind[] = ['normal', 'pubsub'],
): Promise<number> {
  let killed = 0
  for (const kind of kinds) killed += Number(await server.call('CLIENT', 'KILL', 'TYPE', kind))
  return killed
}
