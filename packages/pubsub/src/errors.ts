/** Whether Redis itself replied with an error, as opposed to a connection that failed. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/**
 * Whether Redis said that this client may not do this. Repeating it with the same permissions brings the same reply, so
 * the caller learns it at once instead of waiting.
 */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|NOAUTH|WRONGPASS)\b/.test(error.message)
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
