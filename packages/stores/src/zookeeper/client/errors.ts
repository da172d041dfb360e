import { types } from 'node:util'
import { HoldfastError, RefusedError, UnavailableError } from '@holdfast/core/engine'

/** The engine's name in errors. */
export const engineName = 'zookeeper'

/** Codes of errors that a server replies. */
export const code = {
  systemError: -1,
  /** In a multi: another operation of it failed. */
  runtimeInconsistency: -2,
  unimplemented: -6,
  badArguments: -8,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  notEmpty: -111,
  sessionExpired: -112,
  invalidAcl: -114,
  authFailed: -115,
  sessionMoved: -118,
  needsSasl: -124,
  quotaExceeded: -125,
  throttled: -127,
} as const

const words: ReadonlyMap<number, string> = new Map([
  [code.systemError, 'it failed'],
  [code.runtimeInconsistency, 'another operation of the same request failed'],
  [code.unimplemented, 'it does not know such requests: ZooKeeper 3.5 or later is needed'],
  [code.badArguments, 'it takes the request for malformed'],
  [code.noNode, 'there is no such node'],
  [code.noAuth, 'this client has no rights to the node: give `auth`, or change its access list'],
  [code.badVersion, 'the node has another version'],
  [code.nodeExists, 'the node exists'],
  [code.notEmpty, 'the node has children'],
  [code.sessionExpired, 'the session is over'],
  [code.invalidAcl, 'it does not take this `acl`'],
  [code.authFailed, 'it does not take this `auth`'],
  [code.sessionMoved, 'the session went on with another server'],
  [code.needsSasl, 'it wants clients that authenticate with SASL, which this one does not'],
  [code.quotaExceeded, 'the quota of a node is used up'],
  [code.throttled, 'it has too much to do'],
])

const lasting: ReadonlySet<number> = new Set([
  code.unimplemented,
  code.badArguments,
  code.noAuth,
  code.invalidAcl,
  code.authFailed,
  code.needsSasl,
])

/** A server replied with an error. */
export class ZooKeeperError extends Error {
  override readonly name = 'ZooKeeperError'
  readonly code: number

  constructor(replied: number, what: string) {
    super(`${what}: ${words.get(replied) ?? 'it failed'} (${replied})`)
    this.code = replied
  }

  /** Whether repeating the request makes no sense. */
  get isLasting(): boolean {
    return lasting.has(this.code)
  }
}

/** No reply came: the request may have been carried out, or not. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError'
}

/**
 * Turns any failure into an error of Holdfast's that says whether trying again makes sense.
 *
 * @param server - names what could not be reached
 */
export function toHoldfastError(error: unknown, server: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  const details = { cause: error, engine: engineName }
  if (error instanceof ZooKeeperError && error.isLasting) {
    return new RefusedError(`${server} rejected the request: ${error.message}`, details)
  }
  const message = types.isNativeError(error) ? error.message : String(error)
  return new UnavailableError(`${server} is unavailable: ${message}`, details)
}
