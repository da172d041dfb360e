// What each process of the simulation runs: the library, a store, and what the two are tried by.
export { CallRunner, evict, holdAtRest } from '@holdfast/chaos/process'
export { openClient } from './clients.js'
export { scenariosOn } from './conformance.js'
export { countsOf } from './counts.js'
export { openStore } from './stores.js'

/** The exports of one copy of it. */
export type Program = typeof import('./index.js')
