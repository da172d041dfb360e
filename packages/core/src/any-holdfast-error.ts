import { HoldfastError } from './errors.js'
import type {
  ClosedError,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NotALockError,
  NotOwnerError,
  RefusedError,
  ReplicationError,
  TooManyWaitersError,
  UnavailableError,
} from './errors.js'

/** Any Holdfast error: its `code` says which class it is. */
export type AnyHoldfastError =
  | ClosedError
  | InvalidArgumentError
  | LockLostError
  | LockTimeoutError
  | NotALockError
  | NotOwnerError
  | RefusedError
  | ReplicationError
  | TooManyWaitersError
  | UnavailableError
  | (HoldfastError & { readonly code: 'HOLDFAST' })

/** Whether this is a Holdfast error. If so, a `switch` on its `code` narrows it to its class. */
export const isHoldfastError = (value: unknown): value is AnyHoldfastError => value instanceof HoldfastError
