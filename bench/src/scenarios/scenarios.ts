import type { Scenario } from '../scenario.js'
import { clusterBus } from './cluster-bus.js'
import {
  channels,
  clients,
  etcdCycles,
  memcachedCycles,
  mysqlCycles,
  postgresCycles,
  throughput,
  uncontended,
  zookeeperCycles,
} from './cycles.js'
import { delayedHandOff } from './delayed-hand-off.js'
import { freshNames } from './fresh-names.js'
import {
  etcdHandOff,
  fairness,
  handOff,
  memcachedHandOff,
  mysqlHandOff,
  postgresHandOff,
  zookeeperHandOff,
} from './hand-off.js'
import { commandLine } from './command-line.js'
import { idle } from './idle.js'
import { idleClient } from './idle-client.js'
import { instructions, sharedInstructions } from './instructions.js'
import { memory, sharedMemory } from './memory.js'
import { postgresGrowth } from './postgres-growth.js'
import { postgresListeners } from './postgres-listeners.js'
import { memcachedPolls } from './poll-rates.js'
import { quorum } from './quorum.js'
import { scale } from './scale.js'
import { sessionUpkeep } from './session-upkeep.js'
import { multi, nested } from './several-entries.js'
import { shared } from './shared.js'
import { soak } from './soak.js'
import { hotKey } from './hot-key.js'
import { startUp } from './start-up.js'
import { watchdog } from './watchdog.js'

/** In the order of a full run. */
export const scenarios: readonly Scenario[] = [
  uncontended,
  throughput,
  nested,
  multi,
  handOff,
  hotKey,
  delayedHandOff,
  fairness,
  watchdog,
  idle,
  memory,
  scale,
  startUp,
  idleClient,
  commandLine,
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
  zookeeperCycles,
  zookeeperHandOff,
  etcdCycles,
  etcdHandOff,
  memcachedCycles,
  memcachedHandOff,
  memcachedPolls,
  mysqlCycles,
  mysqlHandOff,
  sessionUpkeep,
  channels,
  clients,
]
