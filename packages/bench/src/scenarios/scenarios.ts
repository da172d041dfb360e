import type { Scenario } from '../scenario.js'
import { clusterBus } from './cluster-bus.js'
import { startUp } from './start-up.js'
import { delayedHandOff } from './delayed-hand-off.js'
import { fairness } from './fairness.js'
import { handOff } from './hand-off.js'
import { nested } from './nested.js'
import { throughput } from './throughput.js'
import { scale } from './scale.js'
import { uncontended } from './uncontended.js'
import { watchdog } from './watchdog.js'
import { idle } from './idle.js'
import { memory } from './memory.js'
import { soak } from './soak.js'
import { instructions } from './instructions.js'

/** In the order of a full run. */
export const scenarios: readonly Scenario[] = [
  uncontended,
  throughput,
  nested,
  handOff,
  delayedHandOff,
  fairness,
  watchdog,
  idle,
  memory,
  scale,
  startUp,
  clusterBus,
  soak,
  instructions,
]
