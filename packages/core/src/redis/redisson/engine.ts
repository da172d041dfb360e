import type { EngineHost } from '../../engine/session.js'
import type { Traits } from '../../engine/traits.js'
import { redissonLayout } from './names.js'
import type { RedisSessionOptions } from '../session.js'
import { redissonLatchCalls } from './latch-calls.js'
import { RedissonLockCalls } from './lock-calls.js'
import { Publishing } from './publishing.js'
import { RedissonReadWriteCalls } from './read-write-calls.js'
import { PermitExpirableCalls, RSemaphoreCalls } from './semaphore-calls.js'
import { RedissonSession } from './session.js'

/** Redisson's waiters compete for a free lock, so ours are notified of it rather than granted it. */
export const redissonTraits = (native: Traits): Traits => ({
  ...native,
  kinds: ['shared', 'latch'],
  semaphoreForms: ['RSemaphore', 'RPermitExpirableSemaphore'],
  fifo: false,
  handOff: 'wake',
})

/** Opens a session whose objects are shared with Redisson. They have no prefix. */
export function openRedisson(
  host: EngineHost,
  shared: Pick<RedisSessionOptions, 'connections' | 'replicas'>,
): RedissonSession {
  const publishing = new Publishing()
  const lock = new RedissonLockCalls(shared.connections.cluster === null, publishing)
  return new RedissonSession(host, {
    ...shared,
    prefix: '',
    layout: redissonLayout,
    calls: {
      lock,
      'read-write-lock': new RedissonReadWriteCalls(publishing),
      semaphore: new RSemaphoreCalls(publishing),
      permits: new PermitExpirableCalls(publishing),
    },
    latchCalls: redissonLatchCalls(publishing),
    canList: false,
    publishing,
  })
}
