import {
  startProxy,
  startRedis,
  startReplica,
  until,
  type FaultProxy,
  type RedisServer,
} from '@holdfast/testkit'
import type { Stage } from '../support/run-example.js'

export interface Pair {
  readonly master: RedisServer
  readonly replica: RedisServer
  /** Carries what the master tells its replica. */
  readonly link: FaultProxy
}

/** Starts a master, and a replica that has caught up with it and follows it over a link that can be broken. */
export async function startPair(defer: Stage['defer']): Promise<Pair> {
  const startingMaster = startRedis()
  defer(async () => (await startingMaster).stop())
  const master = await startingMaster
  const startingReplica = startReplica(master)
  defer(async () => (await startingReplica).stop())
  const replica = await startingReplica
  const link = await startProxy(master)
  defer(() => link.close())

  await replica.call('REPLICAOF', link.host, link.port)
  await until(async () => /^master_link_status:up/m.test(String(await replica.call('INFO', 'replication'))), {
    what: 'the replica to follow its master over the link',
    timeoutMs: 10_000,
  })
  return { master, replica, link }
}
