// Finding a Redis, and a server of one's own
export { describeSource, type RedisSource, type RedisStep } from './find/redis-source.js'
export {
  defaultSteps,
  findRedis,
  NoRedisError,
  redisFromEnvironment,
  searchRedis,
} from './find/find-redis.js'
export { dockerAnswers, redisFromDocker } from './find/docker.js'
export { probeBinary, redisFromPath, type RedisBinary } from './find/binary.js'
export { redisFromDebian, unpackDebianRedis } from './find/debian.js'
export { openRedis, type OpenedRedis } from './server/open-redis.js'
export { closeSharedRedis, openSharedRedis, sharedRedisUrl } from './server/shared-redis.js'
export {
  startRedis,
  type RedisServer,
  type RestartOptions,
  type StartRedisOptions,
} from './server/redis-server.js'
export { startContainerRedis } from './server/container-redis.js'
export { withRedis } from './server/with-redis.js'

// Topologies
export { startReplica } from './topology/replica.js'
export { startCluster, type RedisCluster, type StartClusterOptions } from './topology/cluster.js'

// Faults
export { startProxy, type Direction, type FaultProxy } from './faults/proxy.js'

// Processes
export {
  forkWorker,
  type ForkWorkerOptions,
  type Worker,
  type WorkerExit,
  type WorkerMessage,
} from './process/worker.js'
export { fromParent, tellParent } from './process/parent.js'
export { processExists } from './process/signals.js'

// Looking on
export { countCommands, type CountedCommands } from './observe/count-commands.js'
export { keysWithoutTtl, leftoverKeys } from './observe/keys.js'
export { watchResources, type ResourceWatch } from './observe/open-resources.js'

// Small things
export { until, type Truthy, type UntilOptions } from './until.js'
export { freePort } from './free-port.js'
export { uniqueName } from './unique-name.js'
