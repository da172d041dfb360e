import type { ClientReport } from '@holdfast/core'
import type { Permits } from '../shared/payloads.js'

/** Every semaphore that clients list, by name: how many permits are taken, of how many. */
export function permitsIn(reports: readonly ClientReport[]): ReadonlyMap<string, Permits> {
  const found = new Map<string, Permits>()
  const add = (name: string, size: number | null, taken: number, owners: number): void => {
    const before = found.get(name)
    found.set(name, {
      taken: (before?.taken ?? 0) + taken,
      // Processes of two releases may differ: the larger number is the one up to which permits can be taken.
      all: size === null ? (before?.all ?? null) : Math.max(size, before?.all ?? 0),
      owners: (before?.owners ?? 0) + owners,
    })
  }
  for (const { holds, queue } of reports) {
    for (const { kind, name, size, permits } of holds) if (kind === 'semaphore') add(name, size, permits, 1)
    for (const { kind, name, size } of queue) if (kind === 'semaphore') add(name, size, 0, 0)
  }
  for (const [name, { taken, all, owners }] of found) {
    // It was resized, and the number that the processes were given does not hold any more.
    if (all !== null && taken > all) found.set(name, { taken, all: null, owners })
  }
  return found
}
