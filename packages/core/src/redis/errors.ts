import { isPermissionError, isReplyError } from '@holdfast/pubsub'
import { HoldfastError, RefusedError, UnavailableError } from '../errors.js'

/** The engine's name in errors. */
export const engineName = 'redis'

/** Error replies that pass by themselves: the server starts, fails over (also under a WAIT), is busy or full. */
const passing =
  /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|UNBLOCKED|MISCONF|OOM|NOREPLICAS|UNKILLABLE)\b/

/** What Redis or ioredis said, also of an error that was made one of ours since. */
const originOf = (error: unknown): unknown =>
  error instanceof HoldfastError && error.cause !== undefined ? error.cause : error

const textOf = (error: unknown): string => {
  const origin = originOf(error)
  return origin instanceof Error ? origin.message : String(origin)
}

/** Whether the server's reply starts with this error code. */
export const hasCode = (error: unknown, code: string): boolean => textOf(error).startsWith(code)

/** Whether keys of one slot cannot be reached in one command now, because half of them have moved already. */
export const isSlotMoving = (error: unknown): boolean => /\b(TRYAGAIN|CROSSSLOT)\b/.test(textOf(error))

/** Whether another node of the cluster owns the key, now or while its slot migrates. */
export const isRedirect = (error: unknown): boolean => /^(MOVED|ASK) /.test(textOf(error))

/** Whether authentication failed: a missing or wrong password. */
export const isUnauthenticated = (error: unknown): boolean => {
  const origin = originOf(error)
  return isPermissionError(origin) && !hasCode(origin, 'NOPERM')
}

/** The error of the node that kept a cluster client from finding its way, if that is what happened. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error && error.lastNodeError
    ? error.lastNodeError
    : error
}

/** Whether Redis refused to select a database: too high a number, or a missing permission. */
export function isAboutDatabase(error: unknown): boolean {
  if (!isReplyError(error) || !('command' in error)) return false
  const command: unknown = error.command
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select'
}

/** Whether Redis replied, and trying again soon makes no sense. */
export const isRefusal = (error: unknown): error is Error =>
  isReplyError(error) && !passing.test(textOf(error))

/** Turns anything that a command failed with into an error of ours that says whether trying again makes sense. */
export function toRedisError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error
  const root = rootOf(error)
  const details = { cause: error, engine: engineName }
  return isRefusal(root)
    ? new RefusedError(`Redis rejected the command: ${textOf(root)}`, details)
    : new UnavailableError(`Redis is unavailable: ${textOf(root)}`, details)
}
