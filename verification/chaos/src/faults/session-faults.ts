import { pickCyclic } from '../pick-cyclic.js'
import type { SessionTopology } from '../session-topologies.js'
import { sessionsOf } from './fault-context.js'
import type { FaultKind, Heal } from './fault-kind.js'
import type { FaultPlan } from './fault-plan.js'

/** A fault of servers. Of those that keep what they have written, none excuses anything. */
function onServers(
  traits: Pick<FaultKind, 'on' | 'excuses'>,
  inject: (topology: SessionTopology, plan: FaultPlan) => Promise<Heal>,
): FaultKind {
  return {
    ...traits,
    store: 'session',
    disturbs: 'all',
    hitsServer: true,
    inject: (context, plan) => inject(sessionsOf(context), plan),
  }
}

/** Faults of ZooKeeper and etcd. */
export const sessionFaults = {
  crashSessionServer: onServers({}, async (topology, { target }) => {
    const server = pickCyclic(topology.servers, target)
    await server.kill()
    return async () => {
      await server.launch()
      await topology.whenStable()
    }
  }),
  /** As after a restore from an old backup. */
  loseSessionData: onServers(
    { on: ['zookeeper', 'etcd'], excuses: ['exclusion', 'tokens'] },
    async (topology, { target }) => {
      const server = pickCyclic(topology.servers, target)
      await server.kill()
      return async () => {
        await server.launch({ keepData: false })
        await topology.whenStable()
      }
    },
  ),
  freezeSessionServer: onServers({}, async ({ servers }, { target }) => {
    const server = pickCyclic(servers, target)
    await server.freeze()
    return () => server.thaw()
  }),
  loseMajority: onServers({ on: ['zookeeper-ensemble', 'etcd-cluster'] }, async (topology, { target }) => {
    const others = topology.servers.filter((server) => server !== pickCyclic(topology.servers, target))
    await Promise.all(others.map((server) => server.kill()))
    return async () => {
      await Promise.all(others.map((server) => server.launch()))
      await topology.whenStable()
    }
  }),
  /** Its clients follow what it still answers. */
  freezeMajority: onServers({ on: ['zookeeper-ensemble', 'etcd-cluster'] }, async (topology, { target }) => {
    const others = topology.servers.filter((server) => server !== pickCyclic(topology.servers, target))
    await Promise.all(others.map((server) => server.freeze()))
    return async () => {
      for (const server of others) server.thaw()
      await topology.whenStable()
    }
  }),
} satisfies Record<string, FaultKind>
