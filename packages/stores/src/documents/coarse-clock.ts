/** How many steps a reading of the clock may be behind in all: those of the store's clock, and that of a tick that comes late. */
const stepsBehind = 2

/**
 * What the clock of a store makes of times, milliseconds. One that counts seconds may be behind by two of them: what is to last
 * longer than a time ends later by that, and what is left is reported shorter by that.
 */
export class CoarseClock {
  readonly #stepMs: number

  /** @param stepMs - by how much a reading may be behind; 1 for a clock that is as good as exact */
  constructor(stepMs: number) {
    this.#stepMs = stepMs
  }

  /** By how much what is left may be shorter than it seems. */
  get slackMs(): number {
    return this.#stepMs > 1 ? stepsBehind * this.#stepMs : 0
  }

  /** How far from a reading something has to end that is to last for `ms` at least. 0 stays 0. */
  atLeast(ms: number): number {
    return ms > 0 ? Math.ceil(ms / this.#stepMs) * this.#stepMs + this.slackMs : 0
  }

  /** What is certain to be left of something that ends `ms` after a reading. Negative stays as it is. */
  certainly(ms: number): number {
    return ms < 0 ? ms : Math.max(0, ms - this.slackMs)
  }
}
