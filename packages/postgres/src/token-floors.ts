/** Of how many objects a client remembers the last token. */
const mostObjects = 10_000

/**
 * The largest token that this client has seen of each object: the next one has to be larger, also if the database has lost the
 * last one. One object's never counts for another. Forgets the object that it has heard nothing of for longest.
 *
 * What a message says counts only with the proof of the queue entry that it is about: anyone may notify.
 */
export class TokenFloors {
  readonly #tokens = new Map<string, number>()
  /** Of the owners that are queued, as far as this client knows. */
  readonly #proofs = new Map<string, string>()

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

  /** From now on the owner may be granted the object. */
  expect(owner: string, proof: string): void {
    this.#proofs.set(owner, proof)
  }

  /** A message says so. */
  heard(id: string, owner: string, proof: string, token: number): void {
    if (this.#proofs.get(owner) !== proof) return
    this.#proofs.delete(owner)
    this.saw(id, token)
  }

  /** The owner has entered, or given up. */
  settled(owner: string): void {
    this.#proofs.delete(owner)
  }
}
