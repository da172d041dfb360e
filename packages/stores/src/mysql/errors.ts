import { types } from 'node:util'
import { ClosedError, HoldfastError, RefusedError, UnavailableError } from '@holdfast/core/engine'

/** The engine's name in errors. */
export const engineName = 'mysql'

/** By `instanceof`, those of Node.js itself would not be errors to code that runs in another realm, as tests under Jest do. */
const isError = types.isNativeError

export const toError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)))

/** Numbers of errors that MySQL and MariaDB have in common. */
export const errorNumbers = {
  tooManyConnections: 1040,
  noRightsOnDatabase: 1044,
  wrongPassword: 1045,
  isNull: 1048,
  noSuchDatabase: 1049,
  duplicateKey: 1062,
  noRightsOnTable: 1142,
  noRightsOnColumn: 1143,
  noSuchTable: 1146,
  lockWaitTimeout: 1205,
  deadlock: 1213,
  readOnlyOption: 1290,
  noSuchSavepoint: 1305,
  readOnlyTransaction: 1792,
  readOnlyMode: 1836,
} as const

const { readOnlyOption, readOnlyMode, wrongPassword, noSuchDatabase } = errorNumbers

/** The number of an error that the server sent, or that is behind one of ours. */
export function numberOf(error: unknown): number | undefined {
  if (error instanceof HoldfastError) return numberOf(error.cause)
  if (!isError(error) || !('errno' in error) || !('sqlState' in error)) return undefined
  return typeof error.errno === 'number' ? error.errno : undefined
}

/** Whether the server became one that takes no writes, or is one: a replica. */
export const isReadOnly = (error: unknown): boolean =>
  ([readOnlyOption, readOnlyMode] as unknown[]).includes(numberOf(error))

/**
 * Classes of SQLSTATE that stay as they are however often a statement is repeated: unsupported, invalid data, constraints, transactions
 * that may not write, authorization, names of databases, syntax and rights.
 */
const lasting = /^(0A|22|23|25|28|3D|42)/
/** Others of that kind, which have the general state: this host may not connect, and not without TLS. */
const lastingNumbers: ReadonlySet<number | undefined> = new Set([1129, 1130, 3159])

const sqlStateOf = (error: unknown): string =>
  isError(error) && 'sqlState' in error && typeof error.sqlState === 'string' ? error.sqlState : ''

/** Whether the server replied, and trying again soon makes no sense. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof HoldfastError
    ? error instanceof RefusedError
    : lasting.test(sqlStateOf(error)) || lastingNumbers.has(numberOf(error)) || isWithoutTls(error)

/** `mysql2` found out that the server has none. */
const isWithoutTls = (error: unknown): boolean =>
  isError(error) && 'code' in error && error.code === 'HANDSHAKE_NO_SSL_SUPPORT'

/** Whether the system could not connect: no such host, nobody listens. What the server sends has an SQLSTATE. */
export const isUnreachable = (error: unknown): boolean =>
  isError(error) && 'code' in error && sqlStateOf(error) === '' && !(error instanceof HoldfastError)

/** Ways out of what the server says, by the number of its error. */
const ways: Readonly<Record<number, string>> = {
  [wrongPassword]: ': check user and password',
  [noSuchDatabase]: ': create it, or name the one that the locks are in',
}

/**
 * Turns any failure into an error of ours that says whether trying again makes sense.
 *
 * @param server - names what could not be reached
 */
export function toMysqlError(error: unknown, server: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: error, engine: engineName }
  const { message } = toError(error)
  if (!isRefusal(error)) return new UnavailableError(`${server} is unavailable: ${message}`, details)
  if (isWithoutTls(error)) {
    const way = 'leave out ssl, or give the server a certificate'
    return new RefusedError(`${server} cannot be used: ${message}: ${way}`, details)
  }
  const way = ways[numberOf(error) ?? 0] ?? ''
  return new RefusedError(`${server} rejected the statement: ${message}${way}`, details)
}

export const refused = (message: string, cause?: unknown): RefusedError =>
  new RefusedError(message, { engine: engineName, cause })

export const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
