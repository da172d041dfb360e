/** The next of a row of numbers from 0 up to 1. */
export type Random = () => number

/** A row that looks random, always the same for a seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number of at least `least` and less than `below`. */
export const between = (random: Random, least: number, below: number): number =>
  least + Math.floor(random() * (below - least))
