/** How many objects are remembered at least, and at most twice as many. */
const remembered = 1_000

/**
 * The largest fencing token that a session has seen of each object: a floor for the next one, so that tokens grow even when the
 * store has lost the last one. One object's token never counts for another. Keeps between 1,000 and 2,000 objects, those whose
 * tokens it saw last.
 */
export class TokenFloors {
  #recent = new Map<string, number>()
  #older = new Map<string, number>()

  /**
   * 0 for an object of which none is known.
   *
   * @param id - of the object's address, or whatever else the session names it by
   */
  of(id: string): number {
    return this.#recent.get(id) ?? this.#older.get(id) ?? 0
  }

  /** Remembers a token, unless a larger one of this object is known. */
  saw(id: string, token: number): void {
    const largest = Math.max(this.of(id), token)
    if (this.#recent.size >= remembered && !this.#recent.has(id)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(id, largest)
  }
}
