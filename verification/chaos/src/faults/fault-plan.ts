/** What a schedule says about a fault of any kind. */
export interface FaultPlan {
  /** After the start of the schedule. */
  readonly atMs: number
  readonly forMs: number
  /** Picks the process, lock or server that it hits, modulo their number. */
  readonly target: number
}
