export type {} from '../ambient.js'
export type { Addressing } from './requests.js'
export type { Confirmation, Confirmer } from './lock-steps.js'
export type { FencedClient, FencingLease } from './session.js'
export type { EngineHost, GrantNotice } from './session.js'
export type { Inbox } from './session.js'
export {
  hasOpened,
  isOpen,
  isSet,
  type Awaited,
  type CountDownRequest,
  type LatchDeleteRequest,
  type LatchInspection,
  type LatchReply,
  type LatchSession,
  type LatchSetRequest,
  type LatchState,
  type LatchWait,
  type LatchWaitReply,
} from './latch.js'
export type { LockSteps } from './lock-steps.js'
export {
  longestText,
  type ConnectedClient,
  type ListFilter,
  type ListPage,
  type OperatorSession,
} from './session.js'
export type {
  AcquireReply,
  BusyReply,
  ClientInfo,
  HeldReply,
  Inspection,
  JointReply,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
  ResizeReply,
  SharedInspection,
} from './requests.js'
export type { Registry } from './session.js'
export { clientOf, heirOf, isHandedOver, isKept, keptBy } from './requests.js'
export type {
  AcquireRequest,
  Address,
  JointRequest,
  ObjectType,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from './requests.js'
export type { EngineSession, LockEngine } from './session.js'
export { backoffMs } from '../util/timeouts.js'
export { kindOf, shown } from '../util/mistakes.js'
export { connectionLost, redisClient } from '../util/symbols.js'
export { urlMistake } from '../util/mistakes.js'
export { timedOut, within } from '../util/timeouts.js'
export { checkObject, checkOptions } from '../options/checks.js'
export { checkNames, checkValues, valueChecks, type OptionCheck } from '../options/checks.js'
export type { Sharing } from './session.js'
export type { StoreFacts } from './session.js'
export { TokenFloors } from './lock-steps.js'
export type { Traits } from './session.js'
export type { WarningCode } from '../events/events.js'
export {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  LockLostError,
  RefusedError,
  ReplicationError,
  UnavailableError,
  type HoldfastErrorCode,
  type HoldfastErrorDetails,
  type LossReason,
} from '../errors/errors.js'
