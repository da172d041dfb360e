import type { RedisServer } from '../../server/redis-server.js'
import { faultUntil, type Fault } from './fault.js'
import { setConfig } from './set-config.js'

/** No memory left and nothing may be evicted: commands that could need some are answered with OOM; reads work. */
export async function fillMemory(server: RedisServer): Promise<Fault> {
  // A bound below what is in use is as good as data up to the bound, and leaves the data alone.
  return faultUntil(await setConfig(server, { 'maxmemory-policy': 'noeviction', maxmemory: 1 }))
}
