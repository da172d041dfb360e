/** A client that keeps locks for as long as it lives: it renews each one by itself. */
export interface Holder {
  /** Resolves when the lock is held. */
  hold(name: string): Promise<void>
  /** How many holds the library has told to be lost. */
  lost(): number
}

/** Opens one. A lock outlives a holder that vanished by `leaseMs`. */
export type OpenHolder = (url: string, leaseMs: number) => Promise<Holder>
