const modulus = 2 ** 31 - 1

/** Pseudo-random numbers from 0 up to 1, the same in every run, so that results differ only by what was changed. */
export function chances(seed = 1): () => number {
  let state = seed
  return () => {
    // Lehmer's generator with the factor of Park, Miller and Stockmeyer; every product is exact in a double.
    state = (state * 48_271) % modulus
    return state / modulus
  }
}
