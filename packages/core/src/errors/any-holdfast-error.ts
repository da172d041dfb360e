import { HoldfastError } from './errors.js'
import type {
  ClosedError,
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
} from './errors.js'

/** Any Holdfast error: its `code` says which class it is. */
export type AnyHoldfastError =
  | ClosedError
  | InvalidArgumentError
  | LatchGoneError
  | LockLostError
  | LockTimeoutError
  | NotALockError
  | NotOwnerError
  | RefusedError
  | ReplicationError
  | TooManyWaitersError
  | UnavailableError
  | UpgradeError
  | (HoldfastError & { readonly code: 'HOLDFAST' })

/** Whether this is a Holdfast error. If so, a `switch` on its `code` narrows it to its class. */
export const isHoldfastError = (value: unknown): value is AnyHoldfastError => value instanceof HoldfastError
