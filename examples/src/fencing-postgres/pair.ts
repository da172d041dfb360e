import {
  redisFromDebian,
  redisFromPath,
  searchRedis,
  startProxy,
  startRedis,
  startReplica,
  until,
  type FaultProxy,
  type RedisServer,
} from '@holdfast/testkit'
import type { ExampleContext } from '../support/run-example.js'

export interface Pair {
  readonly master: RedisServer
  readonly replica: RedisServer
  /** Carries the replication from the master to its replica. */
  readonly replication: FaultProxy
}

/** Throws if the two servers cannot be started here. A server that is already running is of no use: this example kills its own. */
export async function requireServerProgram(): Promise<void> {
  if (await searchRedis([redisFromPath, redisFromDebian])) return
  throw new Error(
    [
      'This example starts a master and a replica of its own, and kills the master. It needs the program redis-server or',
      'valkey-server on the PATH; a server at REDIS_URL or in Docker does not help here.',
      '  brew install redis                 macOS',
      '  sudo apt-get install redis-server  Debian, Ubuntu',
    ].join('\n'),
  )
}

/** Starts a master, and a replica that has caught up with it and follows it over a connection that can be broken. */
export async function startPair(defer: ExampleContext['defer']): Promise<Pair> {
  const startingMaster = startRedis()
  defer(async () => (await startingMaster).stop())
  const master = await startingMaster
  const startingReplica = startReplica(master)
  defer(async () => (await startingReplica).stop())
  const replica = await startingReplica
  const replication = await startProxy(master)
  defer(() => replication.close())

  await replica.call('REPLICAOF', replication.host, replication.port)
  await until(async () => /^master_link_status:up/m.test(String(await replica.call('INFO', 'replication'))), {
    what: 'the replica to follow its master through the proxy',
    timeoutMs: 10_000,
  })
  return { master, replica, replication }
}
