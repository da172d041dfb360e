export type {} from '../ambient.js'
export type { BaseClient, HoldfastStats } from '../lock-client.js'
export { LockClient, type EngineHoldfastOptions, type HoldfastOptions } from '../lock-client.js'
export { lockName } from '../options/checks.js'
export { locked, type Locked, type WithLock } from '../objects/locked.js'
export type { Lock } from '../objects/lock.js'
export type { Lease } from '../objects/lock.js'
export type { BaseLease } from '../objects/lock.js'
export type { LockCallback } from '../objects/lock.js'
export type { TryWithLockResult } from '../objects/entrance.js'
export type { HolderInfo, LockInfo, OwnerInfo, WaiterInfo } from '../objects/inspection.js'
export type { Traits } from '../engine/session.js'
export type { ClientInfo } from '../engine/requests.js'
export type { FencedClient } from '../engine/session.js'
export type {
  AcquireOptions,
  ClientOptions,
  CloseOptions,
  ForceOptions,
  HandOverOptions,
  HoldOptions,
  LockOptions,
  RunOptions,
  TakeOverOptions,
} from '../options/options.js'
export type { RedisOptions } from '../redis/engine.js'
export type { ObjectKind } from '../engine/requests.js'
export type { HoldfastEvents, HoldfastListener, LockEvent, WarningCode } from '../events/events.js'
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
} from '../errors/errors.js'
export { isHoldfastError, type AnyHoldfastError } from '../errors/errors.js'
