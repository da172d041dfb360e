import type { Names } from './difference.js'

/** Tokens from here on come from no clock, but from what a client says that it has seen: less than a day ahead of the clock. */
export const firstExactToken = (Math.floor(Date.now() / 3_600_000) + 20) * 3_600_000_000

/**
 * Tokens come from a clock and differ. What must be the same is which of them are equal and that new ones are larger, so each
 * is replaced by its rank. Those that come from no clock are to be the same number; 0 stands for none.
 */
export class TokenRanks implements Names {
  readonly keys = ['token']
  readonly #fromClock: number[] = []

  nameOf(token: number): number {
    if (token === 0 || token >= firstExactToken) return token
    const known = this.#fromClock.indexOf(token)
    if (known >= 0) return known + 1
    const last = this.#fromClock.at(-1) ?? 0
    if (token <= last) throw new Error(`the token ${token} came after ${last}`)
    return this.#fromClock.push(token)
  }
}
