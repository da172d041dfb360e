import type { Killer } from './hunt.js'

export interface TranscriptsOptions<Make, Played> {
  /** What is mutated, as it is. */
  readonly real: Make
  /** What it does, line by line, for each of these and each seed. The same each time. */
  readonly play: (make: Make, played: Played, seed: number) => Promise<readonly string[]>
  readonly played: readonly Played[]
  /** From 1 to this. */
  readonly seeds: number
}

/** Finds a mutant by the first line in which it differs from the real one. */
export class Transcripts<Make, Played extends string> {
  readonly #options: TranscriptsOptions<Make, Played>
  readonly #known = new Map<string, Promise<readonly string[]>>()

  constructor(options: TranscriptsOptions<Make, Played>) {
    this.#options = options
  }

  killer(make: Make): Killer {
    return { name: 'compare transcripts', find: () => this.#difference(make) }
  }

  async #difference(make: Make): Promise<string | null> {
    const { play, played, seeds } = this.#options
    for (let seed = 1; seed <= seeds; seed += 1) {
      for (const each of played) {
        const [was, is] = [await this.#expected(each, seed), await play(make, each, seed)]
        const at = was.findIndex((line, n) => line !== is[n])
        if (at >= 0 || is.length > was.length) return `${each} ${seed}: ${is[at]} instead of ${was[at]}`
      }
    }
    return null
  }

  #expected(each: Played, seed: number): Promise<readonly string[]> {
    const { real, play } = this.#options
    const key = `${each} ${seed}`
    const known = this.#known.get(key) ?? play(real, each, seed)
    this.#known.set(key, known)
    return known
  }
}
