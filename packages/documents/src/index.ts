export type { DocumentHost, DocumentSession, DocumentStore, DocumentTraits, Snapshot } from './store.js'
