/** Something that is still there. */
export interface Leftover {
  readonly what: string
  /** `null`: this is a leftover whatever its owner. */
  readonly owner: string | null
}

/** What the servers have of the n-th lock. */
export interface Records {
  /** The count of each owner, or its permits. */
  counts(n: number): Promise<Readonly<Record<string, number>>>
  /** Where they contradict themselves. */
  contradictions(n: number): Promise<string[]>
  leftovers(n: number): Promise<Leftover[]>
}
