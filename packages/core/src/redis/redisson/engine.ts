import type { LockEngine } from '../../engine/session.js'
import { engineName } from '../errors.js'
import { reach, traitsOf } from '../opening.js'
import { lockScripts } from '../scripts/generated.js'
import { RedissonCommands } from './commands.js'
import { scripts } from './generated.js'
import { RedissonLockCalls } from './lock-calls.js'
import { layoutWith } from './names.js'
import { resolveRedisson } from './options.js'
import type { RedissonOptions } from './options.js'
import { Publishing } from './publishing.js'
import { RedissonReadWriteCalls } from './read-write-calls.js'
import { PermitExpirableCalls, RSemaphoreCalls } from './semaphore-calls.js'
import { RedissonSession } from './session.js'
import { sharingWith } from './sharing.js'

const { clientIdentify, clientPermissions, clientRegister } = lockScripts
const { lockInspect, lockRefresh, lockRenew, lockSetCount } = lockScripts

/** Steps that are the same whether or not Redisson takes part. */
const asAmongOurs = [
  ...[clientIdentify, clientPermissions, clientRegister],
  ...[lockInspect, lockRefresh, lockRenew, lockSetCount],
]

/**
 * Shares the objects of a client with Java services that use Redisson, 3.24 to 4.7: its `RLock`, `RReadWriteLock`,
 * `RCountDownLatch`, the semaphores that `semaphores` names and, by `getFencedLock`, its `RFencedLock` of the same name, whose tokens
 * form one increasing sequence. Every Holdfast client of these objects must use this engine.
 *
 * Three or more of them are the masters of a `HoldfastQuorum` that shares its locks with `RedissonRedLock`.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisson(options: RedissonOptions): LockEngine {
  const settings = resolveRedisson(options)
  const { semaphores } = options
  return {
    name: engineName,
    // Redisson's waiters compete for a free lock, so ours are notified of it rather than granted it.
    traits: traitsOf(settings, { kinds: ['shared', 'latch'], fifo: false, handOff: 'wake' }),
    sharing: sharingWith(semaphores),
    open(host): RedissonSession {
      const reached = reach(options, settings, host)
      const publishing = new Publishing()
      const calls = {
        lock: new RedissonLockCalls(reached.connections.cluster === null, publishing),
        'read-write-lock': new RedissonReadWriteCalls(publishing),
        semaphore: new RSemaphoreCalls(publishing),
        permits: new PermitExpirableCalls(publishing),
      }
      return new RedissonSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: layoutWith(semaphores),
        openSteps: (common) =>
          new RedissonCommands({ ...common, calls, longestLeaseMs: host.watchdogTimeoutMs }),
        scripts: [...asAmongOurs, ...Object.values(scripts)],
        publishing,
        hasSemaphores: semaphores !== undefined,
      })
    },
  }
}
