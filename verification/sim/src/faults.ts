import type { PlannedFault } from '@holdfast/chaos'
import type { FaultKind } from './fault-kind.js'
import type { EngineName } from './program/stores.js'
import { redisFaults } from './redis/faults.js'
import { documentFaults, queueFaults, storeFaults } from './store-faults.js'

/** Of all stores. */
const commonFaults = {
  blackHole: linkFault('both'),
  blackHoleToStore: linkFault('toStore'),
  blackHoleToClient: linkFault('toClient'),
  reset: {
    disturbs: 'target',
    inject: ({ link }) => {
      link.cut()
      return undefined
    },
  },
  loseReply: {
    disturbs: 'target',
    inject: ({ link }) => {
      void link.loseNextReply()
      return () => undefined
    },
  },
  /** A connection takes a message along as it breaks. */
  loseMessage: {
    disturbs: 'target',
    inject: ({ process, server, link, forMs }) => {
      process.messagesOf(server).loseMessage(forMs % 10, () => link.cut())
      return () => undefined
    },
  },
  slowLink: {
    disturbs: 'target',
    inject: ({ process, server }) => {
      const messages = process.messagesOf(server)
      messages.slowness = 12
      return () => {
        messages.slowness = 1
      }
    },
  },
  freezeProcess: {
    disturbs: 'target',
    inject: ({ process }) => {
      process.realm.freeze()
      return () => process.realm.thaw()
    },
  },
  suspendMachine: {
    disturbs: 'target',
    // Longer than a lease.
    longerMs: 600,
    inject: ({ process: { realm }, forMs }) => {
      realm.suspend(forMs)
      return () => undefined
    },
  },
  killProcess: {
    disturbs: 'target',
    inject: ({ kill }) => {
      kill(false)
      return undefined
    },
  },
  restartProcess: {
    disturbs: 'target',
    inject: ({ kill }) => {
      kill(true)
      return undefined
    },
  },
  stepWallClock: {
    disturbs: 'none',
    inject: ({ process: { realm }, forMs }) => {
      realm.stepWall(forMs % 2 === 0 ? 3_600_000 : -3_600_000)
      return undefined
    },
  },
  freezeStore: {
    disturbs: 'all',
    hitsServer: true,
    inject: ({ server: { realm } }) => {
      realm.freeze()
      return () => realm.thaw()
    },
  },
  loseData: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: ({ server }) => {
      server.realm.post(() => server.store.loseData())
      return undefined
    },
  },
  clockForward: {
    disturbs: 'all',
    // Of a bare majority, too, it may take one vote.
    excuses: ['exclusion'],
    movesClock: true,
    inject: ({ server, forMs }) => {
      server.step(forMs)
      return undefined
    },
  },
  forceUnlock: {
    // It may evict a holder that was granted the lock a moment ago and now has to queue again.
    disturbs: 'all',
    excuses: ['exclusion'],
    inject: ({ evict }) => {
      evict()
      return undefined
    },
  },
} satisfies Record<string, FaultKind>

const ownFaults = {
  memory: storeFaults,
  documents: { ...storeFaults, ...documentFaults },
  sessions: { ...storeFaults, ...queueFaults },
  redis: redisFaults,
} satisfies Record<EngineName, Record<string, FaultKind>>

const faultKinds = { ...commonFaults, ...storeFaults, ...documentFaults, ...queueFaults, ...redisFaults }

export type SimFault = keyof typeof faultKinds

export const faultKind = (name: SimFault): FaultKind => faultKinds[name]

export type SimFaultPlan = PlannedFault<SimFault>

const namesOf = (kinds: object): readonly SimFault[] =>
  Object.keys(kinds).filter((name): name is SimFault => name in faultKinds)

/** What is rare otherwise and after which much goes on. */
const often: Readonly<Record<EngineName, readonly SimFault[]>> = {
  memory: [],
  documents: [],
  sessions: Array<SimFault>(2).fill('lagBehind'),
  redis: [...Array<SimFault>(4).fill('failOver'), ...Array<SimFault>(2).fill('forgeNotices')],
}

/** What may happen to a store of that kind and to its clients. */
export const faultsOn = (engine: EngineName): readonly SimFault[] => [
  ...often[engine],
  ...namesOf(ownFaults[engine]),
  ...namesOf(commonFaults),
]

function linkFault(way: 'both' | 'toStore' | 'toClient'): FaultKind {
  return {
    disturbs: 'target',
    inject: ({ link }) => {
      link.blackHole(way)
      return () => link.heal()
    },
  }
}
