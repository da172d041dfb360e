/** A client that keeps locks for as long as it lives, by renewing each one automatically. */
export interface Holder {
  /** Resolves when the lock is held. */
  hold(name: string): Promise<void>
  /** How many holds the library has reported as lost. */
  lost(): number
}

/** Opens a holder. A lock outlives a holder that died by `leaseMs`. */
export type OpenHolder = (url: string, leaseMs: number) => Promise<Holder>
