export type { Confirmation, Confirmer } from './confirmer.js'
export type {
  AcquireReply,
  BusyReply,
  ClientInfo,
  HeldReply,
  Inspection,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
} from './replies.js'
export { clientOf } from './owner.js'
export type { AcquireRequest, Address, QueueEntry, ReleaseRequest, Renewal } from './requests.js'
export type { EngineHost, EngineSession, GrantNotice, LockEngine } from './session.js'
export type { Traits } from './traits.js'
export type { WarningCode } from '../events.js'
export {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  RefusedError,
  ReplicationError,
  UnavailableError,
  type HoldfastErrorCode,
  type HoldfastErrorDetails,
} from '../errors.js'
