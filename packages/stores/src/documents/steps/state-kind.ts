/** How a store treats what it keeps of one object. */
export interface StateKind<State> {
  /** The state of an object that nobody has used. */
  make(): State
  /** Ends what is due, but for tombstones. */
  settle(state: State, nowUs: number): void
  /** Forgets tombstones that are past their time. */
  sweep(state: State, nowUs: number): void
  /** Whether nothing would be lost by forgetting the object. */
  isEmpty(state: State): boolean
}
