import { InvalidArgumentError, kindOf } from '@holdfast/core/engine'
import { MemoryStore } from './store.js'

export type { Leak } from './leaks.js'
export type { MemoryStore } from './store.js'

/** A new, empty store in the memory of this process, for `new Holdfast({ engine })`. Clients that share it share its locks. */
export function memory(): MemoryStore
export function memory(...given: unknown[]): MemoryStore {
  if (given[0] !== undefined) {
    throw new InvalidArgumentError(
      `memory takes no options, got ${kindOf(given[0])}; options of a client go beside engine: new Holdfast({ engine: memory(), … })`,
    )
  }
  return new MemoryStore()
}
