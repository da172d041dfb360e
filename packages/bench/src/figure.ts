/** One measured line: whoever was measured, under which conditions, and the medians of what was seen. */
export interface Figure {
  readonly scenario: string
  /** The title of a contender, or of whatever else the scenario compares. */
  readonly of: string
  /** The conditions, such as `{ waiters: 50, processes: 4 }`. */
  readonly at: Readonly<Record<string, number | string>>
  /** By name with unit, such as `usPerCycle` or `commandsPerCycle`; medians over rounds where there were several. */
  readonly seen: Readonly<Record<string, number>>
}
