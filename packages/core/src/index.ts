export type {} from './ambient.js'
export * from './lock/index.js'
export { Holdfast } from './holdfast.js'
export { HoldfastQuorum, type HoldfastQuorumOptions, type QuorumMaster } from './quorum/holdfast-quorum.js'
export type { QuorumClientOptions } from './quorum/options.js'
export type { MultiLock } from './multi/multi-lock.js'
export type { MultiLease } from './multi/multi-lock.js'
export type { ReadWriteLock } from './read-write-lock/read-write-lock.js'
export type { Semaphore, PermitCallback } from './semaphore/semaphore.js'
export type { PermitLease } from './semaphore/semaphore.js'
export type { PermitHolderInfo, SemaphoreInfo } from './semaphore/semaphore.js'
export type { CountDownLatch } from './latch/latch.js'
export type { LatchInfo } from './latch/latch.js'
export type { CountDownOptions, LatchSetOptions, LatchWaitOptions } from './latch/latch.js'
export { bridge, type BridgedLock } from './bridge/bridge.js'
export type { BridgedLease } from './bridge/bridge.js'
export type { OldLock } from './bridge/bridge.js'
export type { ListedLock, ListingProgress, LockListing } from './operating/listing.js'
export type { LocksOptions, ClientReportsOptions } from './operating/operations.js'
export type { ClientReport, HoldReport, LossReport, WaitReport } from './operating/messages.js'
export { waitBucketsMs } from './operating/reporter.js'
export type { ConnectedClient } from './engine/session.js'
export type { ObjectType } from './engine/requests.js'
export type { PermitOptions, ResizeOptions, SemaphoreOptions } from './options/options.js'
export { redisEngine } from './redis/engine.js'
export type {
  AcquireContext,
  AcquireOutcome,
  ClientContext,
  ConnectionMessage,
  ErrorMessage,
  GrantedMessage,
  HoldContext,
  HoldfastChannels,
  LostMessage,
  ReleaseContext,
  RenewContext,
  RenewedHold,
  RevokedMessage,
  WarningMessage,
} from './channels/channels.js'
export type {
  ClusterConnection,
  ClusterTemplate,
  CommandConnection,
  RedisConnection,
  IoredisCluster,
  IoredisConnection,
  RedisConnectionOptions,
  RedisTemplate,
} from './redis/connection/types.js'
export type { RedisSource } from './redis/connection/types.js'
export type {
  AskCredentials,
  OpenedRedis,
  RedisCredentials,
  RedisAddress,
  RedisClient,
  RedisClientOptions,
  RedisTopology,
} from './redis/connection/types.js'
