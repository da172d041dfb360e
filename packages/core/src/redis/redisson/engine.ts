import type { EngineHost } from '../../engine/session.js'
import type { Traits } from '../../engine/traits.js'
import { tokenKeyOf } from './names.js'
import type { RedisSessionOptions } from '../session.js'
import { RedissonCalls } from './calls.js'
import { RedissonSession } from './session.js'

/** Redisson's waiters compete for a free lock, so ours are notified of it rather than granted it. */
export const redissonTraits = (native: Traits): Traits => ({ ...native, fifo: false, handOff: 'wake' })

/** Opens a session whose locks are shared with Redisson. They have no prefix. */
export function openRedisson(
  host: EngineHost,
  shared: Pick<RedisSessionOptions, 'connections' | 'replicas'>,
): RedissonSession {
  const calls = new RedissonCalls(shared.connections.cluster === null)
  return new RedissonSession(host, { ...shared, prefix: '', fenceOf: tokenKeyOf, calls })
}
