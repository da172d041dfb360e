import { monotonicMs } from '../util/clock.js'

/** What may be spent on the wishes of strangers: `most` at once, `perSecond` in the long run. The last expense may overdraw it. */
export class Allowance {
  readonly #most: number
  readonly #perSecond: number
  #left: number
  #at = monotonicMs()

  constructor(most: number, perSecond: number) {
    this.#most = most
    this.#perSecond = perSecond
    this.#left = most
  }

  /** Whether nothing is missing from it. */
  get isFull(): boolean {
    this.#refill()
    return this.#left === this.#most
  }

  /** How long until something may be spent again, milliseconds; 0: now. */
  get waitMs(): number {
    this.#refill()
    return this.#left > 0 ? 0 : Math.ceil((1_000 * -this.#left) / this.#perSecond) + 1
  }

  spend(amount: number): void {
    this.#refill()
    this.#left -= amount
  }

  #refill(): void {
    const now = monotonicMs()
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
  }
}
