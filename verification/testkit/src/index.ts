// Finding a Redis, and starting servers
export { machineWithoutRedis } from './find/machine-without-redis.js'
export { describeSource, type RedisSource, type RedisStep } from './find/redis-source.js'
export {
  defaultSteps,
  findRedis,
  NoRedisError,
  redisFromEnvironment,
  searchRedis,
} from './find/find-redis.js'
export { redisFromDocker } from './find/docker.js'
export { onPath, probeBinary, redisFromPath } from './find/probe-binary.js'
export type { RedisBinary } from './find/redis-binary.js'
export { redisFromDebian, unpackDebianRedis } from './find/debian.js'
export { openRedis, type OpenedRedis } from './server/open-redis.js'
export { closeSharedRedis, openSharedRedis, sharedRedisUrl } from './server/shared-redis.js'
export { startRedis } from './server/start-redis.js'
export type { RedisServer, RestartOptions, StartRedisOptions } from './server/redis-server.js'
export { withRedis } from './server/with-redis.js'

export { isFullMatrix, sampled } from './matrix.js'

// Servers of other stores
export { LocalServer } from './server/local-server.js'
export { NoServerError, type OpenedServer, type Step } from './find/open-server.js'

// PostgreSQL
export { mayStartPostgres, onOwnPostgres } from './postgres/own-postgres.js'
export { openPostgres } from './postgres/open-postgres.js'
export { openDatabase, type TestDatabase } from './postgres/open-database.js'
export {
  startPostgres,
  type PostgresServer,
  type RestartPostgresOptions,
  type StartPostgresOptions,
} from './postgres/postgres-server.js'
export { findPgBouncer, startPgBouncer, type PgBouncer } from './postgres/start-pgbouncer.js'
export { killBackends, type BackendsOptions } from './postgres/backends.js'
export { holdSnapshot } from './postgres/hold-snapshot.js'
export { startSteppablePostgres, type SteppablePostgres } from './faults/clock/steppable-postgres.js'
export { startPostgresPair, type PostgresPair, type PostgresPairOptions } from './topology/postgres-pair.js'

// ZooKeeper
export {
  findZooKeeper,
  LocalZooKeeper,
  startZooKeeper,
  startZooKeeperEnsemble,
  ZooKeeperEnsemble,
  zooKeeperTickMs,
} from './zookeeper/local-zookeeper.js'
export { openZooKeeper } from './zookeeper/open-zookeeper.js'

// etcd
export { openEtcd } from './etcd/open-etcd.js'
export {
  startEtcd,
  startEtcdCluster,
  type EtcdServer,
  type RestartEtcdOptions,
  type StartEtcdOptions,
} from './etcd/etcd-server.js'

// memcached
export { openMemcached } from './memcached/open-memcached.js'
export { startMemcached, type MemcachedServer } from './memcached/memcached-server.js'

// MySQL
export { killConnections } from './mysql/kill-connections.js'
export { openMysql } from './mysql/open-mysql.js'
export { queryMysqlAt } from './mysql/query-at.js'
export {
  startMysql,
  type MysqlServer,
  type RestartMysqlOptions,
  type StartMysqlOptions,
} from './mysql/mysql-server.js'

// Topologies
export { startReplica } from './topology/replica.js'
export { startCluster, type RedisCluster, type StartClusterOptions } from './topology/cluster.js'
export { startIndependents, type IndependentServers } from './topology/independents.js'
export { startReplicated, type ReplicatedRedis, type StartReplicatedOptions } from './topology/replicated.js'
export { startSentinels, type RedisSentinels, type StartSentinelsOptions } from './topology/sentinels.js'
export { proxyNodes, type ProxiedNodes } from './topology/proxy-nodes.js'

// Faults
export { startProxy, type DelayOptions, type Direction, type FaultProxy } from './faults/proxy.js'
export { ProxyLink } from './faults/proxy-link.js'
export type { Fault } from './faults/server/fault.js'
export { loseData, scriptFlush } from './faults/server/flush.js'
export { killClients, type ClientKind } from './faults/server/kill-clients.js'
export { pauseClients } from './faults/server/pause-clients.js'
export { sleepServer } from './faults/server/sleep-server.js'
export { runBusyScript } from './faults/server/busy-script.js'
export { fillMemory } from './faults/server/fill-memory.js'
export { evictKeys, type EvictOptions } from './faults/server/evict-keys.js'
export { failAppends } from './faults/server/fail-appends.js'
export { failSnapshots } from './faults/server/fail-snapshots.js'
export { refuseCommands } from './faults/server/refuse-commands.js'
export { requirePassword } from './faults/server/require-password.js'
export { startSteppableRedis, type SteppableRedis } from './faults/clock/steppable-redis.js'

// Processes
export {
  forkWorker,
  type ForkWorkerOptions,
  type Worker,
  type WorkerExit,
  type WorkerMessage,
} from './process/worker.js'
export { fromParent, tellParent } from './process/parent.js'
export { guardPid, scratchFolder, type ScratchFolder } from './process/reaper.js'
export { processExists } from './process/signals.js'

// Observation
export { countCommands, type CountedCommands } from './observe/count-commands.js'
export { Monitor, type MonitoredCommand } from './observe/monitor.js'
export {
  holdfastChannels,
  recordChannels,
  type ChannelMessage,
  type RecordedChannels,
} from './observe/recorded-channels.js'
export { keysWithoutTtl, leftoverKeys } from './observe/keys.js'
export { watchResources, type ResourceWatch } from './observe/open-resources.js'

// Histories
export { nowMs, type Excuse, type HistoryEvent, type Refusal } from './history/event.js'
export { openHistory, type HistoryWriter, type Reported } from './history/recorder.js'
export { readHistories } from './history/read-histories.js'
export { watchStalls } from './history/stalls.js'
export { checkHistory } from './history/check-history.js'
export { coverageOf, type Coverage } from './history/coverage.js'
export type { CheckOptions } from './history/history.js'
export { freezeProcess } from './history/faults.js'
export type { Promised, Violation } from './history/violation.js'
export { describeViolation } from './history/describe.js'
export { drawTimeline, type TimelineOptions } from './history/timeline.js'

// Utilities
export { soon, until, type Truthy, type UntilOptions } from './until.js'
export { freePort } from './free-port.js'
export { uniqueName } from './unique-name.js'
export { skippedIf } from './skipped-if.js'
export { makeCertificate, whyNoCertificate } from './certificate.js'
