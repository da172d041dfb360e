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

/** Any error of Holdfast: its `code` says of which class it is. */
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

/** Whether this is an error of Holdfast. Then a `switch` on its `code` narrows it to its class. */
export const isHoldfastError = (value: unknown): value is AnyHoldfastError => value instanceof HoldfastError
