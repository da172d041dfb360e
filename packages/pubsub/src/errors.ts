/**
 * Whether Redis said that this client may not do this. Asking again with the same rights gets the same answer, so
 * whoever asked is told at once instead of being kept waiting.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|NOAUTH|WRONGPASS)\b/.test(error.message)
}

/** Whether the error is Redis's own answer, as opposed to none. */
export function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
