export { sessionQueue, type SessionQueueOptions } from './engine.js'
export type {
  Entry,
  EntryNote,
  Listing,
  Look,
  NewEntry,
  NewSize,
  OpenStore,
  Queue,
  QueuePage,
  QueueStore,
  Size,
  Sizing,
  StoreEvents,
  StoreOperator,
} from './store.js'
