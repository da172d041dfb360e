import type { RedisServer } from '../../server/redis-server.js'

/** Connections as CLIENT KILL sorts them; one that subscribes is no longer `normal`. */
export type ClientKind = 'normal' | 'pubsub'

/** CLIENT KILL: the server closes every connection of that kind, of both unless told. Resolves with their number. */
export async function killClients(
  server: RedisServer,
  kinds: readonly ClientKind[] = ['normal', 'pubsub'],
): Promise<number> {
  let killed = 0
  for (const kind of kinds) killed += Number(await server.call('CLIENT', 'KILL', 'TYPE', kind))
  return killed
}
