import { Holdfast } from '@holdfast/core'

/** How many clients have a command in flight at once, as on a busy Redis: one read for each. */
export const clientsAtOnce = 50

/** A client with practically no limit on waiters. */
export const open = (url: string, watchdogTimeoutMs = 30_000): Holdfast =>
  new Holdfast({ redis: url, watchdogTimeoutMs, maxWaiters: 1_000_000 })

/** Runs `step` for the numbers below `count`, in `clientsAtOnce` concurrent lanes. */
export async function inLanes(
  count: number,
  step: (n: number, lane: number) => Promise<unknown>,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  const lane = async (_: unknown, index: number): Promise<void> => {
    for (const n of numbers) await step(n, index)
  }
  await Promise.all(Array.from({ length: clientsAtOnce }, lane))
}
