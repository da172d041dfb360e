import type { Scenario } from '../scenario.js'
import { channels } from './channels.js'
import { clusterBus } from './cluster-bus.js'
import { startUp } from './start-up.js'
import { delayedHandOff } from './delayed-hand-off.js'
import { fairness } from './fairness.js'
import { handOff } from './hand-off.js'
import { nested } from './nested.js'
import { multi } from './multi.js'
import { throughput } from './throughput.js'
import { shared } from './shared.js'
import { scale } from './scale.js'
import { uncontended } from './uncontended.js'
import { quorum } from './quorum.js'
import { watchdog } from './watchdog.js'
import { idle } from './idle.js'
import { freshNames } from './fresh-names.js'
import { memory, sharedMemory } from './memory.js'
import { postgresCycles } from './postgres-cycles.js'
import { postgresGrowth } from './postgres-growth.js'
import { postgresHandOff } from './postgres-hand-off.js'
import { postgresListeners } from './postgres-listeners.js'
import { soak } from './soak.js'
import { instructions, sharedInstructions } from './instructions.js'

/** In the order of a full run. */
export const scenarios: readonly Scenario[] = [
  uncontended,
  throughput,
  nested,
  multi,
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
  quorum,
  shared,
  sharedMemory,
  sharedInstructions,
  postgresCycles,
  postgresHandOff,
  postgresGrowth,
  freshNames,
  postgresListeners,
  channels,
]
