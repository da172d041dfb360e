import type { LockEngine } from '../engine/session.js'
import { sharedSteps } from './kinds/shared.js'
import { multiSteps } from './kinds/multi.js'
import { latchSteps } from './kinds/latch.js'
import { nativeEngine } from './native.js'
import { operatorSteps } from './operator.js'
import type { RedisOptions } from './options.js'

/** The steps of all kinds of objects. */
export const allSteps = [sharedSteps, latchSteps, multiSteps, operatorSteps] as const

/**
 * Locks on Redis or Valkey: stand-alone, Sentinel or Cluster. `new Holdfast({ redis })` is `new Holdfast({ engine: redisEngine({ redis }) })`;
 * what wraps or tests engines takes this.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisEngine(options: RedisOptions): LockEngine {
  return nativeEngine(options, allSteps)
}
