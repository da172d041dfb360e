export { addressing, addressOf, objectOf, type ObjectAddress } from './address.js'
export { documentEngine, type DocumentEngineOptions } from './engine.js'
export type {
  DocumentHost,
  DocumentPage,
  DocumentSession,
  DocumentStore,
  DocumentTraits,
  KeyRange,
  Snapshot,
} from './store.js'
