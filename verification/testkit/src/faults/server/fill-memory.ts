import type { RedisServer } from '../../server/redis-server.js'
import { faultUntil, type Fault } from './fault.js'
import { setConfig } from './set-config.js'

/** No memory left and no eviction: commands that may need memory fail with OOM; reads work. */
export async function fillMemory(server: RedisServer): Promise<Fault> {
  // A limit below the memory in use has the effect of a full server, without changing the data.
  return faultUntil(await setConfig(server, { 'maxmemory-policy': 'noeviction', maxmemory: 1 }))
}
