/** What to do about clients of Redis other than ioredis, by their kind. `made` stands for what is passed in place of them. */
const advice: Readonly<Record<string, readonly [made: string, why?: string]>> = {
  'a client of the package redis': ['nodeRedis(createClient({ url }))'],
  'a cluster of the package redis': [
    'nodeRedis.cluster(createClient, { rootNodes })',
    ': after a failover a client of createCluster does not find the new master for long, or at all',
  ],
  'a Sentinel client of the package redis': [
    'nodeRedis.sentinel(createClient, { name, sentinelRootNodes })',
    ': a client of createSentinel sends a command again whose reply was lost, and so runs it twice',
  ],
  'a pool of the package redis': [
    'nodeRedis(createClient({ url }))',
    ': Holdfast needs one connection for commands, and no pool',
  ],
}

const refused: Readonly<Record<string, string>> = {
  "Bun's RedisClient":
    'it loses its subscriptions when it reconnects, and does not limit how long a command may take: use ioredis, which runs on Bun',
  'a client of Valkey GLIDE':
    'it does not report that a connection broke, so that messages would be missed unnoticed: use ioredis, iovalkey or node-redis',
}

/**
 * What to do about a client of Redis that was given, to be appended to the error.
 *
 * @param kind - as `kindOf` names it
 */
export function adviceOnClient(kind: string, place: 'client' | 'quorum'): string | undefined {
  const why = refused[kind]
  if (why !== undefined) return `; ${why}`
  const [made, because = ''] = advice[kind] ?? []
  if (made === undefined) return undefined
  const call = place === 'client' ? `new Holdfast({ redis: ${made} })` : `masters: [${made}, …]`
  return `; install @holdfast/node-redis, and pass it as ${call}${because}`
}
