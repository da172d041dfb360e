import { isDeepStrictEqual } from 'node:util'
import type { About, Figure } from '../scenario.js'

/** The ratio of this value to the floor's under the same conditions. `undefined` if no floor was measured. */
export function ratioToFloor(
  { compares: { what }, floor }: About,
  { at, seen }: Figure,
  figures: readonly Figure[],
): number | undefined {
  const base = figures.find((other) => other.of === floor && isDeepStrictEqual(other.at, at))?.seen[what]
  const value = seen[what]
  return base === undefined || base === 0 || value === undefined ? undefined : value / base
}
