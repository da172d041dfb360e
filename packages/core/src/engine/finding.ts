/** What an engine found out about its store: see {@link LockEngine.examine}. */
export interface Finding {
  /** What was checked, in a word or two: no two findings of an engine have the same. */
  readonly check: string
  /**
   * - `ok`: as it should be
   * - `warning`: locks work, and could be lost or stuck more easily than need be
   * - `failed`: locks do not work, or are not safe
   * - `unknown`: it could not be looked at
   */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown'
  /** What was seen, and what to do about it. */
  readonly text: string
}

/** Under which conditions an engine examines its store. */
export interface Examination {
  /** That of the clients that use the store. */
  readonly watchdogTimeoutMs: number
  /** How long one request may take. */
  readonly timeoutMs: number
}
