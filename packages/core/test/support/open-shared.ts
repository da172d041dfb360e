import { Holdfast, type ClientOptions } from '../../src/index.js'
import { redisson, type RedissonOptions } from '../../src/redis/redisson/index.js'
import { closeAfterTest } from './clients.js'

/** Everything but where Redis is. */
export type SharedOptions = ClientOptions & Omit<RedissonOptions, 'redis'>

/** Makes a client whose objects are shared with Redisson, and that `closeAll` closes. */
export function openShared(
  redis: RedissonOptions['redis'],
  { semaphores, minReplicas, replicaTimeoutMs, ...options }: SharedOptions = {},
): Holdfast {
  const engine = redisson({ redis, semaphores, minReplicas, replicaTimeoutMs })
  const holdfast = new Holdfast({ ...options, engine })
  closeAfterTest(() => holdfast.close())
  return holdfast
}
