import type { LockEngine } from '../engine/session.js'
import type { CarriedSteps } from './carried-steps.js'
import { RedisCommands } from './commands.js'
import { engineName } from './errors.js'
import { nativeLayout } from './keys.js'
import { NativeCalls } from './kinds/lock.js'
import { reach, traitsOf } from './opening.js'
import { resolveRedisSettings } from './options.js'
import type { RedisOptions } from './options.js'
import { lockScripts } from './scripts/generated.js'
import { RedisSession } from './session.js'

/**
 * Locks among Holdfast clients, and whatever else its sessions carry.
 *
 * @param carried - that they carry from the start
 */
export function nativeEngine(options: RedisOptions, carried: readonly CarriedSteps[] = []): LockEngine {
  const settings = resolveRedisSettings(options)
  return {
    name: engineName,
    traits: traitsOf(settings, { kinds: ['shared', 'latch'], fifo: true, handOff: 'grant', operator: true }),
    open(host): RedisSession {
      const reached = reach(options, settings, host)
      const calls = { lock: new NativeCalls(reached.connections.cluster === null) }
      const session = new RedisSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: nativeLayout,
        openSteps: (common) => new RedisCommands({ ...common, calls }),
        scripts: Object.values(lockScripts),
      })
      for (const steps of carried) session.carry(steps)
      return session
    },
  }
}
