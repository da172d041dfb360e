/** One measured line: what was measured, under which conditions, and the medians of the values. */
export interface Figure {
  readonly scenario: string
  /** The title of a contender, or of another subject that the scenario compares. */
  readonly of: string
  /** The conditions, such as `{ waiters: 50, processes: 4 }`. */
  readonly at: Readonly<Record<string, number | string>>
  /** By name with unit, such as `usPerCycle` or `commandsPerCycle`; medians over rounds where there were several. */
  readonly seen: Readonly<Record<string, number>>
}
