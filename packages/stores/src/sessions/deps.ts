import type { EngineHost } from '@holdfast/core/engine'
import type { Background } from './background.js'
import type { Brake } from './brake.js'
import type { Places } from './places.js'
import type { Sizes } from './sizes.js'
import type { QueueStore } from './store.js'
import type { Tombstones } from './tombstones.js'
import type { Turns } from './turns.js'

/** What the steps share. */
export interface StepDeps {
  readonly host: EngineHost
  readonly store: QueueStore
  readonly places: Places
  readonly brake: Brake
  readonly turns: Turns
  readonly sizes: Sizes
  readonly tombstones: Tombstones
  readonly background: Background
}
