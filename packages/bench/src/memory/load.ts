/** Something whose locks and waiters are weighed, in this process and at the server. */
export interface Load {
  /** Takes these locks and keeps them. */
  hold(names: readonly string[]): Promise<void>
  /** Adds one waiter for each of these locks, which waits indefinitely. Resolves when the server has all of them. */
  wait(names: readonly string[]): Promise<void>
}
