/** Of how many objects a client remembers the last token. */
const mostObjects = 10_000

/**
 * The largest token that this client has seen of each object: the next one has to be larger, also if the database has lost the
 * last one. One object's never counts for another. Forgets the object that it has heard nothing of for longest.
 */
export class TokenFloors {
  readonly #tokens = new Map<string, number>()

  /** @param id - of the object's address */
  of(id: string): number {
    return this.#tokens.get(id) ?? 0
  }

  saw(id: string, token: number): void {
    const largest = Math.max(this.of(id), token)
    this.#tokens.delete(id)
    this.#tokens.set(id, largest)
    if (this.#tokens.size <= mostObjects) return
    const [oldest] = this.#tokens.keys()
    if (oldest !== undefined) this.#tokens.delete(oldest)
  }
}
