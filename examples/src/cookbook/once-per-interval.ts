import type { Holdfast } from '@holdfast/core'

/**
 * Runs the job on one of the instances that call this within the interval. The others skip it. Resolves with whether it ran here.
 *
 * @param everyMs - the interval. The clocks of two instances must not differ by half of it
 */
export async function oncePerInterval(
  holdfast: Holdfast,
  name: string,
  everyMs: number,
  job: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const lock = holdfast.getLock(`interval:${name}`)
  // Held until long after the slowest clock, though the job may end at once, and free again before the next interval.
  const { ran } = await lock.tryWithLock({ atLeastMs: Math.ceil(everyMs / 2) }, ({ signal }) => job(signal))
  return ran
}
