import type { Topology } from './topology.js'

/** The channel on which releases of that lock are published. */
export function channelOf(lock: string): string {
  return `redisson_lock__channel:${lock.includes('{') ? lock : `{${lock}}`}`
}

/** How many connections subscribe to releases of that lock. A waiter of Redisson does so before its second attempt. */
export async function listenersOf({ reach, serverOf }: Topology, lock: string): Promise<number> {
  const server = await serverOf(lock)
  const count = reach.mode === 'cluster' ? 'SHARDNUMSUB' : 'NUMSUB'
  const answer = await server.call('PUBSUB', count, channelOf(lock))
  return Number(Array.isArray(answer) ? answer[1] : NaN)
}
