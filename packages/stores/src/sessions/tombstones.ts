/** How many there may be before those that are over are looked for. */
const sweepAbove = 1_000

/** Owners whose late requests are refused. In memory, as only this client sends requests of its owners. */
export class Tombstones {
  readonly #now: () => number
  readonly #untilMs = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  leave(owner: string, forMs: number): void {
    if (forMs <= 0) return
    if (this.#untilMs.size > sweepAbove) this.#sweep()
    this.#untilMs.set(owner, Math.max(this.#untilMs.get(owner) ?? 0, this.#now() + forMs))
  }

  has(owner: string): boolean {
    return (this.#untilMs.get(owner) ?? -Infinity) > this.#now()
  }

  #sweep(): void {
    for (const owner of this.#untilMs.keys()) if (!this.has(owner)) this.#untilMs.delete(owner)
  }
}
