import { memory, type MemoryStore as Memory } from '@holdfast/memory'
import { DocumentTable, MemoryQueues } from '../stores/index.js'

/** What the simulation does to a store, and asks it at the end. */
export interface Ends {
  /** Ends without its data, and is there again at once. */
  loseData(): void
  /** Who holds or waits there. Of documents that is not told. */
  owners(): readonly string[]
  /** What is there that time has not taken away. */
  leftovers(): readonly string[]
}

export type SimStore =
  | (Ends & { readonly engine: 'memory'; readonly memory: Memory })
  | (Ends & { readonly engine: 'documents'; readonly table: DocumentTable })
  | (Ends & { readonly engine: 'session-queue'; readonly queues: MemoryQueues })

export type EngineName = SimStore['engine'] | 'redis'

/**
 * A new store, to be used in the process of a server.
 *
 * @param n - unlike that of any other store
 */
export function openStore(engine: SimStore['engine'], n: number): SimStore {
  switch (engine) {
    case 'memory': {
      // Those of one process are told apart by their number, and each has a process of its own here.
      let last = memory()
      for (let made = 0; made < n; made += 1) last = memory()
      return openMemory(last)
    }
    case 'documents':
      return openTable(new DocumentTable({ id: `table-${n}` }))
    case 'session-queue':
      return openQueues(new MemoryQueues())
  }
}

function openMemory(store: Memory): SimStore {
  return {
    engine: 'memory',
    memory: store,
    loseData: () => store.failOver(),
    owners: () =>
      store.leaks().flatMap((leak) => ('owner' in leak && leak.kind !== 'tombstone' ? [leak.owner] : [])),
    leftovers: () =>
      store.leaks().flatMap((leak) => (leak.kind === 'session' ? [] : [`${leak.kind} of ${leak.owner}`])),
  }
}

function openTable(table: DocumentTable): SimStore {
  return {
    engine: 'documents',
    table,
    loseData: () => table.wipe(),
    owners: () => [],
    // What clients are is listed in mail and registrations, which time takes away.
    leftovers: () => table.live().map(({ key, text }) => `${key}: ${text}`),
  }
}

function openQueues(queues: MemoryQueues): SimStore {
  return {
    engine: 'session-queue',
    queues,
    loseData: () => queues.wipe(),
    owners: () => queues.entries().map(({ owner }) => owner),
    leftovers: () => [
      ...queues.entries().map(({ owner }) => `an entry of ${owner}`),
      ...queues.latches.awaited().map((name) => `one that waits for ${name}`),
    ],
  }
}
