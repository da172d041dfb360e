/** How many locks are remembered at least, and at most twice as many. */
const remembered = 1_000

/**
 * The largest fencing token that this client has seen of each lock, as text: it is sent more often than it changes. Later tokens
 * are larger, even when the fence key is lost. Forgets the locks that it has not seen for longest.
 */
export class TokenFloors {
  #recent = new Map<string, string>()
  #older = new Map<string, string>()

  /** `'0'` of a lock that none is known of. */
  of(main: string): string {
    return this.#recent.get(main) ?? this.#older.get(main) ?? '0'
  }

  saw(main: string, token: number): void {
    if (token <= Number(this.of(main))) return
    if (this.#recent.size >= remembered && !this.#recent.has(main)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(main, String(token))
  }
}
