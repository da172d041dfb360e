export type {} from './ambient.js'
export { Holdfast } from './holdfast.js'
export {
  LockClient,
  type EngineHoldfastOptions,
  type HoldfastOptions,
  type HoldfastStats,
} from './lock-client.js'
export { HoldfastQuorum, type HoldfastQuorumOptions, type QuorumMaster } from './holdfast-quorum.js'
export type { QuorumClientOptions } from './options/quorum-options.js'
export { lockName } from './objects/name-of-text.js'
export type { Lock } from './objects/lock.js'
export type { MultiLock } from './objects/multi-lock.js'
export type { MultiLease } from './objects/multi-lease.js'
export type { Lease } from './objects/lease.js'
export type { BaseLease } from './objects/base-lease.js'
export type { ReadWriteLock } from './objects/read-write-lock.js'
export type { Semaphore, PermitCallback } from './objects/semaphore.js'
export type { PermitLease } from './objects/permit-lease.js'
export type { PermitHolderInfo, SemaphoreInfo } from './objects/semaphore-inspection.js'
export type { CountDownLatch } from './objects/count-down-latch.js'
export type { LatchInfo } from './objects/latch-info.js'
export type { CountDownOptions, LatchSetOptions, LatchWaitOptions } from './objects/latch-options.js'
export { bridge, type BridgedLock } from './objects/bridge.js'
export { locked, type Locked, type WithLock } from './objects/locked.js'
export type { BridgedLease } from './objects/bridged-lease.js'
export type { OldLock } from './objects/old-call.js'
export type { LockCallback } from './objects/lock-callback.js'
export type { HolderInfo, LockInfo, OwnerInfo, WaiterInfo } from './objects/inspection.js'
export type { ListedLock, ListingProgress, LockListing } from './operating/listing.js'
export type { ForceOptions } from './options/force-options.js'
export type { LocksOptions, ClientReportsOptions } from './operating/options.js'
export type { ClientReport, HoldReport, LossReport, WaitReport } from './operating/report.js'
export { waitBucketsMs } from './operating/wait-meter.js'
export type { ConnectedClient } from './engine/operator.js'
export type { ObjectType } from './engine/requests.js'
export type { Traits } from './engine/traits.js'
export type { ClientInfo } from './engine/replies.js'
export type { FencedClient } from './engine/fencing.js'
export type {
  AcquireOptions,
  LockOptions,
  RunOptions,
  ClientOptions,
  CloseOptions,
  PermitOptions,
  ResizeOptions,
  SemaphoreOptions,
} from './options/options.js'
export { redisEngine } from './redis/engine.js'
export type { RedisOptions } from './redis/options.js'
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
} from './channels/contexts.js'
export type { ObjectKind } from './ownership/target.js'
export type { HoldfastEvents, HoldfastListener, LockEvent, WarningCode } from './events/events.js'
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
export type { RedisSource } from './redis/connection/redis-source.js'
export type {
  OpenedRedis,
  RedisAddress,
  RedisClient,
  RedisClientOptions,
  RedisTopology,
} from './redis/connection/redis-client.js'
export {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  LatchGoneError,
  LockLostError,
  LockTimeoutError,
  NotALockError,
  NotOwnerError,
  RefusedError,
  ReplicationError,
  TooManyWaitersError,
  UnavailableError,
  UpgradeError,
  type EngineErrorDetails,
  type HoldfastErrorCode,
  type HoldfastErrorDetails,
  type LossReason,
} from './errors/errors.js'
export { isHoldfastError, type AnyHoldfastError } from './errors/any-holdfast-error.js'
