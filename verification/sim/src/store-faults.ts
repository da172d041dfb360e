import { StoreServer } from './cast.js'
import type { FaultKind, Struck } from './fault-kind.js'
import type { SimStore } from './program/stores.js'

/** By how much a store that takes over may be behind, milliseconds. */
const mostLagMs = 100

function storeOf({ server }: Struck): SimStore {
  if (server instanceof StoreServer) return server.store
  throw new Error('only stores in memory have this fault')
}

/** What happens to every store in memory. */
export const storeFaults = {
  /** It keeps its data. */
  restartStore: {
    disturbs: 'all',
    hitsServer: true,
    inject: ({ links }) => {
      for (const link of links) {
        link.cut()
        link.blackHole('both')
      }
      return () => {
        for (const link of links) link.heal()
      }
    },
  },
} satisfies Record<string, FaultKind>

/** What happens to documents. */
export const documentFaults = {
  /** Another store takes over, and has not seen what was written last. */
  failOverBehind: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: (struck) => {
      const store = storeOf(struck)
      if (store.engine !== 'documents') throw new Error('only documents have this fault')
      const { table } = store
      struck.server.realm.post(() => table.failOver(struck.forMs % mostLagMs))
      return undefined
    },
  },
} satisfies Record<string, FaultKind>

/** What happens to sessions. */
export const queueFaults = {
  /** An operator ends the session of a client, which is alive: it cannot know before it asks. */
  endSession: {
    disturbs: 'target',
    excuses: ['exclusion'],
    inject: (struck) => {
      const { clientId } = struck.process.client
      const queues = queuesOf(struck)
      struck.server.realm.post(() => queues.expire(clientId))
      return undefined
    },
  },
  /** The server of a client is behind the others: it reads what was, and is called late. */
  lagBehind: {
    disturbs: 'target',
    inject: (struck) => {
      const { clientId } = struck.process.client
      const queues = queuesOf(struck)
      const { realm } = struck.server
      realm.post(() => queues.lag(clientId, mostLagMs))
      return () => realm.post(() => queues.lag(clientId, 0))
    },
  },
} satisfies Record<string, FaultKind>

function queuesOf(struck: Struck) {
  const store = storeOf(struck)
  if (store.engine === 'sessions') return store.queues
  throw new Error('only sessions have this fault')
}
