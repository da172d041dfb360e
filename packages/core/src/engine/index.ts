export type {} from '../ambient.js'
export type { Addressing } from './addressing.js'
export type { Confirmation, Confirmer } from './confirmer.js'
export type { FencedClient, FencingLease } from './fencing.js'
export type { Examination, Finding } from './finding.js'
export type { EngineHost, GrantNotice } from './host.js'
export type { Inbox } from './inbox.js'
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
} from './operator.js'
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
} from './replies.js'
export type { Registry } from './registry.js'
export { clientOf } from './owner.js'
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
export { backoffMs } from '../util/backoff.js'
export { kindOf, shown } from '../util/kind-of.js'
export { connectionLost, redisClient } from '../util/redis-client-symbols.js'
export { urlMistake } from '../util/url-mistake.js'
export { timedOut, within } from '../util/with-timeout.js'
export { checkObject, checkOptions } from '../options/checks.js'
export { checkNames, checkValues, valueChecks, type OptionCheck } from '../options/library-options.js'
export type { Sharing } from './sharing.js'
export type { StoreFacts } from './store-facts.js'
export { TokenFloors } from './token-floors.js'
export type { Traits } from './traits.js'
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
