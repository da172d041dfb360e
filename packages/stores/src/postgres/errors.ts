import { types } from 'node:util'
import { ClosedError, HoldfastError, RefusedError, UnavailableError } from '@holdfast/core/engine'
import { MismatchError, NotPostgresError } from './connection/first-contact.js'

/** The engine's name in errors. */
export const engineName = 'postgres'

/**
 * Classes of SQLSTATE that stay as they are however often a statement is repeated: unsupported, invalid data, constraints,
 * authorization, names of databases and schemas, syntax and rights; and those of ours: what a step or a migration refuses.
 */
const lasting = /^(0A|22|23|28|2B|3D|3F|42|HF)/

/** By `instanceof`, those of Node.js itself would not be errors to code that runs in another realm, as tests under Jest do. */
const isError = types.isNativeError

/** A bound, in case an error is its own cause. */
const mostWrappers = 5

/** The SQLSTATE of an error that PostgreSQL sent, or that a pooler sent in its place, even if a query builder has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  let each = error
  for (
    let wrappers = 0;
    wrappers <= mostWrappers && typeof each === 'object' && each !== null;
    wrappers += 1
  ) {
    if ('severity' in each && 'code' in each && typeof each.code === 'string') return each.code
    each = wrappedIn(each)
  }
  return undefined
}

/** Prisma keeps what its driver threw beside the other facts of an error. */
function wrappedIn(error: object): unknown {
  if ('cause' in error) return error.cause
  const meta: unknown = Reflect.get(error, 'meta')
  return typeof meta === 'object' && meta !== null && 'driverAdapterError' in meta
    ? meta.driverAdapterError
    : undefined
}

/** Whether PostgreSQL replied, and trying again soon makes no sense. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof HoldfastError
    ? error instanceof RefusedError
    : error instanceof MismatchError || lasting.test(sqlStateOf(error) ?? '')

/**
 * Whether the system could not connect: no such host, nobody listens, no such socket, or not PostgreSQL behind it. Errors of a
 * server have a severity.
 */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof NotPostgresError ||
  (isError(error) && 'code' in error && !('severity' in error) && !(error instanceof HoldfastError))

/** Whether the server has become a standby, or is one. */
export const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === '25006'

export const toError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)))

/**
 * Turns any failure into an error of ours that says whether trying again makes sense.
 *
 * @param server - names what could not be reached
 */
export function toPostgresError(error: unknown, server: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: error, engine: engineName }
  const { message } = toError(error)
  if (!isRefusal(error)) return new UnavailableError(`${server} is unavailable: ${message}`, details)
  const what = error instanceof MismatchError ? 'cannot be used' : 'rejected the statement'
  return new RefusedError(`${server} ${what}: ${message}`, details)
}

export const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
