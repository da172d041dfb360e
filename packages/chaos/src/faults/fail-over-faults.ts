import { until } from '@holdfast/testkit'
import type { FaultKind } from './fault-kind.js'
import { pick } from '../pick.js'
import { masterOf } from './scene.js'

/** The master dies; it comes back, empty, when somebody else has taken over. */
const crashMaster: FaultKind = {
  on: ['sentinel', 'cluster'],
  disturbs: 'all',
  // What was not replicated yet is gone.
  excuses: ['exclusion'],
  hitsServer: true,
  async inject(scene, planned) {
    const server = await masterOf(scene, planned)
    await server.kill()
    return async () => {
      await until(async () => (await masterOf(scene, planned)) !== server, {
        what: `somebody to take over from ${server.url}`,
        timeoutMs: 15_000,
      })
      await server.restart()
      await scene.arena.topology.whenStable()
    }
  },
}

/** CLUSTER FAILOVER: the old master waits until the new one has everything. */
const clusterFailover: FaultKind = {
  on: ['cluster'],
  disturbs: 'all',
  hitsServer: true,
  async inject({ arena, keys }, { target }) {
    await arena.topology.failOver(pick(keys, target))
    return () => arena.topology.whenStable()
  },
}

/** SENTINEL FAILOVER: the replica is promoted as it is, and the old master goes on granting until it is told. */
const sentinelFailover: FaultKind = {
  ...clusterFailover,
  on: ['sentinel'],
  excuses: ['exclusion', 'tokens'],
}

/** One replica stops, so that fewer acknowledge. */
const freezeReplica: FaultKind = {
  on: ['replicated', 'sentinel', 'cluster'],
  disturbs: 'all',
  hitsServer: true,
  async inject(scene, planned) {
    const { servers } = scene.arena.topology
    const masters = await Promise.all(scene.keys.map((key, n) => scene.arena.topology.masterOf(n, key)))
    const replica = pick(
      servers.filter((server) => !masters.includes(server)),
      planned.target,
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
