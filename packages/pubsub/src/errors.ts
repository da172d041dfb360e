/**
 * The text of an error reply, beginning with its code. Where in a script it happened is left out: Redis before 7.0 puts that before the
 * code, later ones append it. A missing permission of a script has no code before 7.2.
 */
export function replyText(text: string): string {
  const said = text
    .replace(/^(?:ERR Error running script \(call to \w+\): )?(?:@\w+: ?\d+: )*-?/, '')
    .replace(/,? script: \w+, on @\w+:\d+\.?$/, '')
    .replace(/^(?:ERR )?(?=The user executing the script can't )/, 'NOPERM ')
  // What went wrong in a script itself has no code.
  return /^[A-Z]+ /.test(said) ? said : text
}

/**
 * Whether Redis itself replied with an error, as opposed to a connection that failed. A minifier renames the class that
 * ioredis 5 uses, but every reply begins with a code in capitals, and comes with the command that it is about.
 */
export function isReplyError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'ReplyError' ||
    ('command' in error && /^[A-Z][A-Z0-9_]*(?: |$)/.test(replyText(error.message)))
  )
}

/**
 * Whether Redis said that this client may not do this. Repeating it with the same permissions brings the same reply, so
 * the caller learns it at once instead of waiting.
 */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|NOAUTH|WRONGPASS)\b/.test(replyText(error.message))
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
