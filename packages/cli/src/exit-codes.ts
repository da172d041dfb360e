import { constants } from 'node:os'
import { isHoldfastError, type HoldfastErrorCode } from '@holdfast/core'

/** What `holdfast` exits with, besides the code of the command that it ran. 64 to 78 mean what sysexits.h says. */
export const exitCodes = {
  ok: 0,
  /** The answer is no: nothing was evicted, a check failed. */
  no: 1,
  usage: 64,
  unavailable: 69,
  notAcquired: 75,
  refused: 77,
  lost: 79,
  /** As timeout(1) has it: holdfast itself failed. */
  ownFailure: 125,
  cannotRun: 126,
  notFound: 127,
} as const

/** A failure that says what to exit with; the message is for the user. */
export class ExitError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    /** Further lines. */
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}

const codeOf: Partial<Record<HoldfastErrorCode, number>> = {
  LOCK_TIMEOUT: exitCodes.notAcquired,
  LOCK_LOST: exitCodes.lost,
  UNAVAILABLE: exitCodes.unavailable,
  REPLICATION: exitCodes.unavailable,
  REFUSED: exitCodes.refused,
  NOT_A_LOCK: exitCodes.refused,
  INVALID_ARGUMENT: exitCodes.usage,
}

/** What to exit with after a failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode
  return (isHoldfastError(error) ? codeOf[error.code] : undefined) ?? exitCodes.ownFailure
}

/** What a shell reports for a process that a signal ended. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** What to say of a failure. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
