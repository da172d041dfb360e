export { addressing, addressOf, objectOf, type ObjectAddress } from './address.js'
export { documentEngine, type DocumentEngineOptions } from './engine.js'
export type { DocumentHost, DocumentSession, DocumentStore, DocumentTraits, Snapshot } from './store.js'
