/** Something whose locks and waiters are weighed, in this process and at the server. */
export interface Load {
  /** Takes these locks and keeps them. */
  hold(names: readonly string[]): Promise<void>
  /** Has one more wait for each of these locks, for ever. Resolves when the server has them all. */
  wait(names: readonly string[]): Promise<void>
}
