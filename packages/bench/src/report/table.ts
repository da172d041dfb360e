import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'

/** Shows figures as a table. */
export function printTable(_scenario: Scenario, figures: readonly Figure[]): void {
  console.table(figures.map(({ of, at, seen }) => ({ of, ...at, ...seen })))
}
