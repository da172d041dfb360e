import { isDeepStrictEqual } from 'node:util'
import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'

/** The ratio of this value to the floor's under the same conditions. `undefined` if no floor was measured. */
export function ratioToFloor(
  { compares, floor }: Scenario,
  { scenario, at, seen }: Figure,
  figures: readonly Figure[],
): number | undefined {
  const base = figures.find(
    (other) => other.scenario === scenario && other.of === floor && isDeepStrictEqual(other.at, at),
  )?.seen[compares.what]
  const value = seen[compares.what]
  return base === undefined || base === 0 || value === undefined ? undefined : value / base
}
