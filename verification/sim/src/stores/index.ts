// Stores in the memory of one process: for the simulation, and for the tests of the engines that use them.
export { DocumentTable, type TableOptions } from './document-table.js'
export { MemoryQueues, SessionOverError, type StoreEvent } from './memory-queues.js'
export { MemoryStore, queueTraits } from './memory-store.js'
export { memoryQueueEngine, MemoryUnderTest, newLink } from './memory-under-test.js'
