/**
 * Whether Redis itself replied with an error, as opposed to a connection that failed. A minifier renames the class that
 * ioredis 5 uses, but every reply begins with a code in capitals, and comes with the command that it is about.
 */
export function isReplyError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return error.name === 'ReplyError' || ('command' in error && /^[A-Z][A-Z0-9_]*(?: |$)/.test(error.message))
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

/** A connection was replaced because its server is not the one at which messages are published. */
export class MisplacedError extends Error {
  /** @param count - how many connections in a row led to another server */
  constructor(readonly count: number) {
    super('the connection for notifications leads to another server than the one for commands')
    this.name = 'MisplacedError'
  }

  /** It is not a failover under way: waits for a subscription are rejected with this. */
  get isFinal(): boolean {
    return this.count >= 10
  }
}
