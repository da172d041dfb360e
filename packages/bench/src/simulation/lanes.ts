import { Holdfast } from '@holdfast/core'

/** So many clients have a command on its way at once, as Redis sees it when it is busy: one read for each. */
export const clientsAtOnce = 50

/** A client that waits for as many as it is told to. */
export const open = (url: string, watchdogTimeoutMs = 30_000): Holdfast =>
  new Holdfast({ redis: url, watchdogTimeoutMs, maxWaiters: 1_000_000 })

/** Does `step` for the numbers up to `count`, in so many lanes as there are clients at once. */
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
