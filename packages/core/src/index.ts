export { Holdfast, type EngineHoldfastOptions, type HoldfastOptions, type HoldfastStats } from './holdfast.js'
export { lockName } from './objects/name-of-text.js'
export type { Lock } from './objects/lock.js'
export type { Lease } from './objects/lease.js'
export { bridge, type BridgedLock, type OldLock } from './objects/bridge.js'
export type { LockCallback } from './objects/with-lock-arguments.js'
export type { LockInfo, OwnerInfo } from './objects/inspection.js'
export type { ClientInfo } from './engine/replies.js'
export type { AcquireOptions, ClientOptions, CloseOptions } from './options.js'
export type { Interop, RedisOptions } from './redis/options.js'
export type { HoldfastEvents, HoldfastListener, LockEvent, WarningCode } from './events.js'
export type {
  ClusterConnection,
  ClusterTemplate,
  CommandConnection,
  RedisConnection,
  RedisConnectionOptions,
  RedisSource,
  RedisTemplate,
} from './redis/connection/types.js'
export {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NotALockError,
  NotOwnerError,
  RefusedError,
  RefusedError as RedisRefusedError,
  ReplicationError,
  TooManyWaitersError,
  UnavailableError,
  UnavailableError as RedisUnavailableError,
  type EngineErrorDetails,
  type HoldfastErrorCode,
  type HoldfastErrorDetails,
  type LossReason,
} from './errors.js'
export { isHoldfastError, type AnyHoldfastError } from './any-holdfast-error.js'
