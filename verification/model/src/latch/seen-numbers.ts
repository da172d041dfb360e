import type { Names } from '../compare/difference.js'

/**
 * The generations and instants of one store. They come from a clock and differ, so each is named after its place among those
 * that were seen; the one behind it, and those that come from no clock, by what they are.
 */
export class SeenNumbers implements Names {
  readonly keys = ['generation', 'first', 'opened', 'previous']
  readonly #all: number[] = []

  nameOf(number: number): string {
    if (number <= 1) return String(number)
    if (this.#all.includes(number - 1) && !this.#all.includes(number)) return `${this.nameOf(number - 1)}+1`
    if (!this.#all.includes(number)) this.#all.push(number)
    return `#${this.#all.indexOf(number)}`
  }

  /** @param which - the last one for 0, the one before it for 1, …; `null` for none */
  find(which: number | null): number {
    return which === null ? 0 : (this.#all.at(-1 - which) ?? 0)
  }
}
