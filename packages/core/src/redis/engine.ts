import type { LockEngine } from '../engine/session.js'
import { RedisCommands } from './commands.js'
import { engineName } from './errors.js'
import { nativeLayout } from './keys.js'
import { nativeLatchCalls } from './kinds/latch.js'
import { NativeCalls } from './kinds/lock.js'
import { SharedCalls } from './kinds/shared.js'
import { reach, traitsOf } from './opening.js'
import { resolveRedisSettings } from './options.js'
import type { RedisOptions } from './options.js'
import { scripts } from './scripts/generated.js'
import { RedisSession } from './session.js'

/**
 * Locks on Redis or Valkey: stand-alone, Sentinel or Cluster. `new Holdfast({ redis })` is `new Holdfast({ engine: redisEngine({ redis }) })`;
 * what wraps or tests engines takes this.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisEngine(options: RedisOptions): LockEngine {
  const settings = resolveRedisSettings(options)
  return {
    name: engineName,
    traits: traitsOf(settings, { kinds: ['shared', 'latch'], fifo: true, handOff: 'grant', operator: true }),
    open(host): RedisSession {
      const reached = reach(options, settings, host)
      const inboxesCanBeCounted = reached.connections.cluster === null
      const calls = {
        lock: new NativeCalls(inboxesCanBeCounted),
        shared: new SharedCalls(inboxesCanBeCounted),
      }
      return new RedisSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: nativeLayout,
        openSteps: (common) => new RedisCommands({ ...common, calls }),
        latchCalls: nativeLatchCalls,
        scripts: Object.values(scripts),
        isShared: false,
      })
    },
  }
}
