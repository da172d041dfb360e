import { HoldfastError, RefusedError, UnavailableError } from '../errors.js'
import type { HoldfastErrorDetails } from '../errors.js'

/** Error replies that pass by themselves: the server starts, fails over (also under a WAIT), is busy or full. */
const passing =
  /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|UNBLOCKED|MISCONF|OOM|NOREPLICAS|UNKILLABLE)\b/

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether the server's answer starts with this error code. */
export const hasCode = (error: unknown, code: string): boolean => textOf(error).startsWith(code)

/** Whether keys of one slot cannot be reached in one command now, because half of them have moved already. */
export const isSlotMoving = (error: unknown): boolean => /\b(TRYAGAIN|CROSSSLOT)\b/.test(textOf(error))

/** Whether another node of the cluster answers for the key, now or while its slot moves. */
export const isRedirect = (error: unknown): boolean => /^(MOVED|ASK) /.test(textOf(error))

/** Whether Redis itself answered with an error, as opposed to a connection that failed. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/** The error of the node that kept a cluster client from finding its way, if that is what happened. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error && error.lastNodeError
    ? error.lastNodeError
    : error
}

/** Whether Redis refused to go to a database: too high a number, or a missing right. */
export function isAboutDatabase(error: unknown): boolean {
  if (!isReply(error) || !('command' in error)) return false
  const command: unknown = error.command
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select'
}

/** Whether Redis answered, and trying again soon makes no sense. */
export const isRefusal = (error: unknown): error is Error => isReply(error) && !passing.test(textOf(error))

/** Turns whatever a command failed with into an error of ours that says whether trying again makes sense. */
export function faultOf(error: unknown, details: HoldfastErrorDetails = {}): HoldfastError {
  if (error instanceof HoldfastError) return withDetails(error, details)
  const root = rootOf(error)
  const about = details.lockName === undefined ? '' : ` for lock ${details.lockName}`
  if (isRefusal(root)) {
    return new RefusedError(`Redis refused a command${about}: ${textOf(root)}`, {
      ...details,
      cause: error,
    })
  }
  return new UnavailableError(`Redis is not available${about}: ${textOf(root)}`, {
    ...details,
    cause: error,
  })
}

/** Says which lock it was about, where whoever made the error could not know. */
function withDetails(error: HoldfastError, details: HoldfastErrorDetails): HoldfastError {
  if (error.lockName !== undefined || details.lockName === undefined) return error
  const more = { ...details, cause: error.cause }
  if (error instanceof RefusedError) return new RefusedError(error.message, more)
  if (error instanceof UnavailableError) return new UnavailableError(error.message, more)
  return error
}
