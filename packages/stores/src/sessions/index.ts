export { sessionQueue } from './engine.js'
export { LastListed } from './last-listed.js'
export type { LatchNames, LatchStore, NewLatch, StoredLatch } from './latch-store.js'
export type {
  Entry,
  EntryNote,
  Listing,
  Look,
  NewEntry,
  NewSize,
  Queue,
  QueuePage,
  QueueStore,
  Size,
  Sizing,
  StoreEvents,
  StoreOperator,
} from './store.js'
