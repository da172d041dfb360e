import type { RedisServer } from '../server/redis-server.js'

/** One master or replica as a sentinel sees it. */
export interface WatchedServer {
  readonly port: number
  /** Such as `master`, `slave`, `s_down`, `failover_in_progress`. */
  readonly flags: readonly string[]
}

/** One sentinel's view of a master. */
export interface SentinelView {
  readonly master: WatchedServer
  readonly replicas: readonly WatchedServer[]
  /** How many other sentinels of this master it knows. */
  readonly otherSentinels: number
}

export async function viewOfSentinel(sentinel: RedisServer, name: string): Promise<SentinelView> {
  const master = await sentinel.call('SENTINEL', 'MASTER', name)
  const replicas = await sentinel.call('SENTINEL', 'REPLICAS', name)
  return {
    master: watched(master),
    replicas: Array.isArray(replicas) ? replicas.map(watched) : [],
    otherSentinels: Number(fieldOf(master, 'num-other-sentinels')),
  }
}

function watched(reply: unknown): WatchedServer {
  return { port: Number(fieldOf(reply, 'port')), flags: String(fieldOf(reply, 'flags')).split(',') }
}

/** Alternating names and values in RESP2, a map in RESP3. */
function fieldOf(reply: unknown, name: string): unknown {
  if (Array.isArray(reply)) {
    const list: unknown[] = reply
    return list[list.indexOf(name) + 1]
  }
  return typeof reply === 'object' && reply !== null ? Reflect.get(reply, name) : undefined
}
