import type { Contender } from './contender.js'
import type { StoreName } from './stores.js'

/** The values of one measurement, by name with unit, such as `usPerCycle` or `commandsPerCycle`. */
export type Seen = Readonly<Record<string, number>>

/** One measured line: what was measured, under which conditions, and the medians of the values. */
export interface Figure {
  /** The name of a contender, or of another subject that the scenario compares. */
  readonly of: string
  /** The conditions, such as `{ waiters: 50, processes: 4 }`. */
  readonly at: Readonly<Record<string, number | string>>
  readonly seen: Seen
}

/** The options of a run that scenarios use. */
export interface Plan {
  /** The contenders of the store that `--with` selects; all by default. A scenario uses those to which it applies. */
  readonly contenders: readonly Contender[]
  readonly store: StoreName
  readonly rounds: number
  /** Tiny counts, so that a test can check that everything works; the figures are meaningless then. */
  readonly isTrial: boolean
  /** Prints a line of progress; not used during measurements. */
  readonly say: (line: string) => void
}

export interface Scenario {
  readonly name: string
  /** One line for `--help` and over the table. */
  readonly title: string
  /** The name in `Figure.seen` that the table compares, and whether less is better. */
  readonly compares: { readonly what: string; readonly lessIsBetter: boolean }
  /** The `of` of the figures that the table divides by, under the same conditions. */
  readonly floor: string
  /** Whether `--store` applies; otherwise it is of Redis alone. Another store has a floor of its own. */
  readonly onStores?: true
  /** Too long for a full run: runs only when named. */
  readonly onlyByName?: true
  run(plan: Plan): Promise<Figure[]>
}

export type About = Omit<Scenario, 'run'>
