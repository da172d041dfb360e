// What each process of the simulation runs: the library, a store, and what the two are tried by.
export { CallRunner, evict, holdAtRest } from '@holdfast/chaos/process'
export { openClient } from './clients.js'
export { scenariosOn } from './conformance.js'
export { countsOf } from './counts.js'
export { openStore } from './stores.js'
