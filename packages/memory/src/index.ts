import { MemoryStore } from './store.js'

export type { Leak } from './leaks.js'
export type { MemoryStore } from './store.js'

/** A new, empty store in the memory of this process, for `new Holdfast({ engine })`. Clients that share it share its locks. */
export function memory(): MemoryStore {
  return new MemoryStore()
}
