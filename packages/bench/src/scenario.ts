import type { Contender } from './contender.js'
import type { Figure } from './figure.js'

/** What a scenario is asked to do. */
export interface Plan {
  /** Those asked for by `--with`; all of them otherwise. A scenario takes those that it makes sense for. */
  readonly contenders: readonly Contender[]
  readonly rounds: number
  /** Tiny counts, so that a test can see that everything works; the figures mean nothing then. */
  readonly isTrial: boolean
  /** How long a scenario without an end of its own goes on. */
  readonly minutes: number
  /** How fast it goes; `null`: as fast as it can. */
  readonly cyclesPerSecond: number | null
  /** A line for whoever watches. Nothing is said while something is being measured. */
  say(line: string): void
}

export interface Scenario {
  readonly name: string
  /** One line for `--help` and over the table. */
  readonly title: string
  /** The name in `Figure.seen` that the table compares, and whether less of it is better. */
  readonly compares: { readonly what: string; readonly lessIsBetter: boolean }
  /** The `of` of the figures that the table divides by, under the same conditions. Without it there are no ratios. */
  readonly floor?: string
  /** Too long for a run of all: plays only when it is named. */
  readonly onlyByName?: true
  run(plan: Plan): Promise<Figure[]>
}
