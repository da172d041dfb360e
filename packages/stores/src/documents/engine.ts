import type { LockEngine } from '@holdfast/core/engine'
import { DocumentLocks } from './session.js'
import type { DocumentStore } from './store.js'

export interface DocumentEngineOptions {
  /**
   * Whether waiters queue, in the document; `true` by default. Without a queue they compete: who looks first after a release gets the
   * lock, mostly a client that had it. Hand-offs are faster then, nothing is fair, and there are locks only.
   */
  readonly queue?: boolean | undefined
}

/** Locks, read/write locks, semaphores and latches in a store of documents, for `new Holdfast({ engine })`. One document each. */
export const documentEngine = (
  store: DocumentStore,
  { queue = true }: DocumentEngineOptions = {},
): LockEngine => {
  const { name, traits } = store
  const { pollMs, clockStepMs, survives, evicts, lists, commandsPerCycle } = traits
  return {
    name,
    traits: {
      ...(queue && { kinds: ['shared', 'latch'] }),
      fifo: queue,
      handOff: queue ? { pollMs, queued: true } : { pollMs },
      lease: {
        stepMs: clockStepMs,
        shortestMs: clockStepMs > 1 ? 3 * clockStepMs : 1,
        marginMs: 2,
        keeps: true,
        handsOver: true,
      },
      // A document that was evicted takes the last token along.
      fencing: evicts ? 'none' : 'while data lives',
      survives,
      force: lists ? 'notified' : 'at renewal',
      ...(evicts && { evicts }),
      ...(lists && { operator: lists }),
      ...(commandsPerCycle && { commandsPerCycle }),
    },
    open: (host) => new DocumentLocks(store, host, queue),
  }
}
