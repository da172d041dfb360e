import { until } from '@holdfast/testkit'
import type { FaultKind } from './fault-kind.js'
import { pickCyclic } from '../pick-cyclic.js'
import { redisOf, targetMaster } from './fault-context.js'

/** The master dies; it comes back, empty, once a replica has taken over. */
const crashMaster: FaultKind = {
  on: ['sentinel', 'cluster'],
  disturbs: 'all',
  // Writes that were not replicated yet are lost.
  excuses: ['exclusion'],
  hitsServer: true,
  async inject(context, plan) {
    const server = await targetMaster(context, plan)
    await server.kill()
    return async () => {
      await until(async () => (await targetMaster(context, plan)) !== server, {
        what: `a replica to take over from ${server.url}`,
        timeoutMs: 15_000,
      })
      await server.restart()
      await context.testbed.topology.whenStable()
    }
  },
}

/** CLUSTER FAILOVER: the old master waits until the new one has all its data. */
const clusterFailover: FaultKind = {
  on: ['cluster'],
  disturbs: 'all',
  hitsServer: true,
  async inject(context, { target }) {
    const topology = redisOf(context)
    await topology.failOver(pickCyclic(context.keys, target))
    return () => topology.whenStable()
  },
}

/** SENTINEL FAILOVER: the replica is promoted as it is, and the old master keeps granting until it is demoted. */
const sentinelFailover: FaultKind = {
  ...clusterFailover,
  on: ['sentinel'],
  excuses: ['exclusion', 'tokens'],
}

/** One replica stops, so fewer replicas acknowledge writes. */
const freezeReplica: FaultKind = {
  on: ['replicated', 'sentinel', 'cluster'],
  disturbs: 'all',
  hitsServer: true,
  async inject(context, plan) {
    const topology = redisOf(context)
    const masters = await Promise.all(context.keys.map((key, n) => topology.masterOf(n, key)))
    const replica = pickCyclic(
      topology.servers.filter((server) => !masters.includes(server)),
      plan.target,
    )
    await replica.freeze()
    return () => replica.thaw()
  },
}

export const failOverFaults = {
  crashMaster,
  clusterFailover,
  sentinelFailover,
  freezeReplica,
} satisfies Record<string, FaultKind>
