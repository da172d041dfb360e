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
  StoreEvents,
} from './store.js'
