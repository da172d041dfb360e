import { linkedEngine, type LinkedEngine } from '@holdfast/conformance'
import type { LockEngine } from '@holdfast/core/engine'
import { pause } from '../../src/util/timeouts.js'

/** An engine whose steps take so long on their way there, and back, and the network between. */
export const slowEngine = (engine: LockEngine, oneWayMs: () => number): LinkedEngine =>
  linkedEngine(engine, 1, { travel: () => pause(oneWayMs()), atOnce: (_, run) => run() })
